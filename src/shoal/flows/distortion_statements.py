"""Checks statements of a perturbed table's certificate that follow from its other fields."""

from __future__ import annotations

from shoal import registry
from shoal.attacks.attack import Attack
from shoal.distortions.distortion import Distortion
from shoal.errors import ShoalError
from shoal.flows.distortion import AS_PUBLISHED, NOT_PROMISED, READABLE, REPEATABLE, UNHASHED
from shoal.review.certificate_check import Item
from shoal.review.certificate_format import DistortionCertificate


def statement_items(said: DistortionCertificate) -> list[Item]:
    """Check method, attacks and sentences of a certificate against what Shoal would write."""
    return [_method(said), _attacks(said), _sentences(said)]


def _method(said: DistortionCertificate) -> Item:
    """Check that the method is one that there is, spelled as certificates spell it."""
    try:
        again = registry.spell(registry.make(Distortion, said.method))
    except ShoalError:
        note = "there is no such method"
        return Item("name of the method", "differs", said.method, note=note)
    return Item.compared("name of the method", said.method, again, same=again == said.method)


def _attacks(said: DistortionCertificate) -> Item:
    """Check that every attack on perturbed numbers is stated, and no other."""
    known = sorted(_tried_on_numbers())
    stated = sorted({each.name for each in said.attacks})
    return Item.compared("names of attacks", stated, known, same=stated == known)


def _tried_on_numbers() -> list[str]:
    return [
        name
        for name, attack in registry.names(Attack).items()
        if "distort" in attack.flows and attack.needs == ("numbers",)
    ]


def _sentences(said: DistortionCertificate) -> Item:
    """Check what is not promised: each sentence stands there exactly where it is true."""
    stated = list(said.not_promised)
    true = {
        REPEATABLE: REPEATABLE in stated,  # nobody sees whether there was a seed
        AS_PUBLISHED: any(each.refuses for each in said.attacks),
        UNHASHED: said.hash is None,
    }
    expected = [
        *(sentence for sentence, holds in true.items() if holds),
        *(sentence for sentence in stated if _readable(sentence, said.columns.perturbed)),
        *NOT_PROMISED,
    ]
    return Item.compared("what is not promised", stated, expected, same=stated == expected)


def _readable(sentence: str, perturbed: list[str]) -> bool:
    """Tell whether a sentence names perturbed columns that can be read off, and nothing else."""
    named = sentence.removeprefix(READABLE)
    return sentence.startswith(READABLE) and {*named.split(", ")} <= {*map(repr, perturbed)}
