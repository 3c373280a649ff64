"""Checks statements of a perturbed table's certificate that follow from its other fields."""

from __future__ import annotations

from shoal import registry
from shoal.distortions.distortion import Distortion
from shoal.errors import ShoalError
from shoal.flows.distortion import AS_PUBLISHED, NOT_PROMISED, REPEATABLE, UNHASHED
from shoal.flows.distortion_attacks import on_numbers
from shoal.review.certificate_format import DistortionCertificate
from shoal.review.certificate_format_1 import DistortionCertificate1
from shoal.review.certificate_reading import AnyDistortion
from shoal.review.verdict import Item


def statement_items(said: AnyDistortion) -> list[Item]:
    """Check method, attacks and sentences of a certificate against what Shoal would write.

    Attacks and sentences of format 1 were others, and stay as they are stated.
    """
    if isinstance(said, DistortionCertificate1):
        return [_method(said)]
    return [_method(said), _attacks(said), _sentences(said)]


def _method(said: AnyDistortion) -> Item:
    """Check that the method is one that there is, spelled as certificates spell it."""
    try:
        again = registry.spell(registry.make(Distortion, said.method))
    except ShoalError:
        note = "there is no such method"
        return Item("name of the method", "differs", said.method, note=note)
    return Item.compared("name of the method", said.method, again, same=again == said.method)


def _attacks(said: DistortionCertificate) -> Item:
    """Check that every attack on perturbed numbers is stated, and no other.

    There is none where the table was published whatever they find.
    """
    known = [] if AS_PUBLISHED in said.not_promised else sorted(on_numbers())
    stated = sorted(said.attacks)
    return Item.compared("names of attacks", stated, known, same=stated == known)


def _sentences(said: DistortionCertificate) -> Item:
    """Check what is not promised: each sentence stands there exactly where it is true."""
    stated = list(said.not_promised)
    true = {
        REPEATABLE: REPEATABLE in stated,  # nobody sees whether there was a seed
        AS_PUBLISHED: not said.attacks,
        UNHASHED: said.hash is None,
    }
    expected = [*(sentence for sentence, holds in true.items() if holds), *NOT_PROMISED]
    return Item.compared("what is not promised", stated, expected, same=stated == expected)
