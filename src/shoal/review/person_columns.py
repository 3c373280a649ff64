"""Person columns: tells by its name whether a column says whose row it is, in several languages.

| names | point at | is |
|---|---|---|
| `patient_id`, `Kundennummer`, `numero de paciente`, `ssn`, `email` | a person | `person` |
| `record_id`, `case number`, `Fallnummer` | a file about a person | `case` |
| `id`, `uuid`, `study_id`, and any other `..._id` | nobody can say | `id` |
| `household_id`, `phone`, `iban`, `policy no` | several people, by what it means | `shared` |
| `visit_id`, `order no`, `provider_id`, `concept_id` | an event, a place or a kind | `thing` |

Where a person stands beside something else, the noun in front of `id` decides: `patient visit id`
numbers visits. Names and birth dates are found too: both together tell people apart, names alone
do not, since many people share one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.declare.roles import Roles
from shoal.review.vocabulary import rule_for, words_of

Pointing = Literal["person", "case", "id", "shared", "thing"]

ID = (
    "ids?|identifier|identifikation|identifiant|identificador|identificativo|identificatie|no|nos|"
    "nr|num|number|nummer|numero|key|code|kennung|kennzeichen|kennziffer|schluessel|codigo|codice|"
    "hash|pseudonym|token"
)
ID_FIRST = "id|identifiant|identificador|identificativo|n|nr|nummer|numero|code|codigo|codice"
# people, in English, German, French, Spanish, Italian, Dutch and Portuguese
PEOPLE = (
    "patients?|patienten|patientin|pat|pt|persons?|personen|personne|customers?|cust|clients?|"
    "members?|employees?|emp|staff|worker|personnel|personal|students?|pupil|subjects?|subj|"
    "participants?|respondents?|applicants?|citizens?|residents?|donor|users?|usr|individual|"
    "beneficiary|enrollee|voter|taxpayer|borrower|debtor|tenant|guest|passenger|driver|"
    "national|usubj|"
    "kunden?|kundin|mitglieds?|mitarbeiter|schueler|schuler|studenten|proband(?:en)?|teilnehmer|"
    "versicherten?|buerger|burger|nutzer|bewohner|spender|klienten?|matrikel|"
    "employe|salarie|etudiant|eleve|sujet|assure|adherent|usager|beneficiaire|citoyen|habitant|"
    "pacientes?|clientes?|personas?|empleado|estudiante|alumno|participante|sujeto|socio|afiliado|"
    "usuario|ciudadano|trabajador|asegurado|"
    "pazient[ei]|clienti|persone|dipendente|studente|partecipante|soggetto|utente|cittadino|"
    "assistito|"
    "klant|persoon|persoons|medewerker|deelnemer|client|inwoner|pessoa|aluno|utente|cidadao"
)
NUMBERED = (  # numbers that are given to one person each
    "ssn|social security(?: number)?|nhs(?: number| no)?|mrn|medical record(?: number| no)?|"
    "chart (?:number|no)|hospital number|cpf|curp|dni|nie|nif|nir|nino|bsn|burgerservicenummer|ahv|"
    "avs|svnr|sozialversicherungsnummer|rentenversicherungsnummer|krankenversichertennummer|"
    "versichertennummer|versicherungsnummer|insurance number|numero de securite sociale|"
    "securite sociale|seguridad social|codice fiscale|tessera sanitaria|steuer ?id|tax ?id|tin|"
    "passport(?: no| number)?|passeport|reisepass|pasaporte|passaporto|personnummer|cpr|pesel|"
    "fodselsnummer|personalausweis|driver s licen[cs]e|drivers? licen[cs]e|e ?mail(?: address)?|"
    "e ?mail adresse|correo electronico|username|benutzername|seqn|matricule|matrikelnummer|"
    "personalnummer|subjid|usubjid|ptid|patid|custid|empid"
)
ALONE = "mail|correo|login|user|usuario|matricula|uin"  # only where nothing else is in the name
CASES = "case|cases|record|records|fall|dossier|akten?|expediente|pratica|chart|file"
SHARED = (
    "household|households|hh|hhid|hid|hld|family|families|fam|haushalts?|familien?|menage|foyer|"
    "famille|hogar|vivienda|familia|famiglia|nucleo|huishouden|gezin|agregado|dwelling|couple|"
    "mother|father|parent|twin|sibling|phone|mobile|handy|~telefon|~telephone|telefono|tel|fax|"
    "~kontonummer|iban|account|acct|konto|cuenta|conto|card|policy|police|polizza|poliza|contract|"
    "vertrags?|contrat|contrato|contratto|address|addr|adresse|direccion|indirizzo|adres|street|"
    "strasse|house|haus|hausnummer|flat|apartment|room|ip|vin|plate|vehicle"
)
THINGS = (
    "visit|visits|occurrence|encounter|episode|admission|discharge|stay|appointment|session|"
    "event|besuchs?|aufenthalts?|termin|visite|sejour|visita|ricovero|opname|order|orders|invoice|"
    "bill|claim|receipt|transaction|payment|booking|ticket|basket|cart|shipment|rechnungs?|"
    "bestell|auftrags?|facture|commande|factura|pedido|fattura|ordine|factuur|bestelling|row|line|"
    "seq|sequence|entry|index|position|pos|sample|specimen|probe|test|lab|request|result|product|"
    "item|article|artikel|sku|drug|medication|procedure|diagnosis|icd|atc|doctor|physician|gp|"
    "provider|practitioner|nurse|therapist|teacher|arzt|medecin|medico|docteur|lehrer|school|"
    "class|course|schule|ecole|escuela|scuola|hospital|clinic|klinik|hopital|ospedale|ward|unit|"
    "station|site|centre|center|facility|department|dept|abteilungs?|team|branch|filial\\w*|store|"
    "shop|agency|agent|company|firm|firma|employer|utility|organi[sz]ation|org|institution|"
    "location|loc|region|country|county|state|city|district|zone|area|tract|block|stratum|strata|"
    "psu|cluster|segment|geo|concept|type|kind|category|cat|status|group|gruppe|version|batch|"
    "file|form|survey|wave|round|question|variable|source|device|machine|interviewer|"
    "postal|zip|post|language|currency|tax|job|occupation|industry|sector|model"
)
OF = "(?:of|de|del|de la|du|des|di|del|della|van|der|do|da|d)"
GIVEN = "first name|given name|forename|firstname|vorname|prenom|voornaam|nombre de pila"
FAMILY = (
    "last name|family name|surname|lastname|nachname|familienname|nom de famille|apellidos?|"
    "cognome|achternaam|sobrenome"
)
FULL = (
    "(?:(?:full|patient|patienten|person|customer|kunden?|client|member|employee|student|subject|"
    "respondent) ?)?names?|fullname|nom|nom complet|nombre|nombre completo|nome|nome completo|naam|"
    "nom et prenom|vor und nachname|name vorname|nachname vorname"
)
BIRTH = (
    "dob|birth ?date|date of birth|birth ?day|born|born on|d o b|geburts(?:datum|tag)|"
    "geb ?dat(?:um)?|geboren(?: am)?|(?:date|date de|dt) naissance|ne le|naissance|"
    "(?:fecha|fecha de) nacimiento|"
    "f nacimiento|(?:data|data di) nascita|nato il|geboorte ?datum|data de nascimento|"
    "patient birth ?date|birth ?date ?time"
)


def pointing(name: str) -> Pointing | None:
    """Tell what a column points at by its name; None where the name says nothing of the kind.

    >>> [pointing(name) for name in ("PatientID", "Kundennr", "id_cliente", "patient visit id")]
    ['person', 'person', 'person', 'thing']
    >>> [pointing(name) for name in ("record_id", "hhid", "id", "batch_key", "age")]
    ['case', 'shared', 'id', 'thing', None]
    """
    words = words_of(name)
    for kind, pattern in PATTERNS:
        if pattern.search(words):
            return kind
    return None


def _numbers_of(nouns: str) -> str:
    """Match names that number something: `patient id`, `patientennr`, `id del paciente`.

    A number in front of several is a count: `numero de pacientes`.
    """
    return rf"(?:{nouns}) ?(?:{ID})\b|\b(?:{ID_FIRST}) (?:{OF} )?(?:{nouns})(?<![si])(?<!en|ne)"


def _whole(words: str) -> str:
    return rf"\b(?:{words})\b"


def _stems(words: str) -> str:
    """Match stems that begin with a tilde anywhere in a word, other words whole."""
    return "|".join(rf"\w*{part[1:]}\w*" if part[0] == "~" else part for part in words.split("|"))


PATTERNS: tuple[tuple[Pointing, re.Pattern[str]], ...] = (
    ("person", re.compile(rf"{_whole(NUMBERED)}|^(?:{ALONE})$")),
    ("shared", re.compile(_whole(_numbers_of(_stems(SHARED)) + "|hhid|hid"))),
    ("thing", re.compile(_whole(_numbers_of(THINGS)))),
    ("person", re.compile(_whole(_numbers_of(PEOPLE)))),
    ("case", re.compile(_whole(_numbers_of(CASES)))),
    ("shared", re.compile(rf"^(?:{_stems(SHARED)})(?: \d+)?$")),
    ("id", re.compile(_whole("ids?|pid|uid|uuid|guid|rid|sid|kennung|kennziffer|identifiant"))),
    ("id", re.compile(_whole("identifier|identificador|identificativo|pseudonym|hash"))),
)
BARE = re.compile(
    "^(?:ids?|pid|uid|uuid|guid|rid|sid|kennung|kennziffer|identifiant|identifier|study ?id|"
    "identificador|identificativo|pseudonym|subjects?|participants?|patients?|persons?)(?: \\d+)?$"
)
"""Names of nothing but an id: they number the rows of a table, or the people in it."""


@dataclass(frozen=True)
class PersonColumns:
    """Columns of which each row holds one value, or values together, that may say whose it is."""

    columns: tuple[str, ...]
    points_at: Literal["person", "case", "id", "unknown", "shared", "named"]
    meant: bool = False
    """Whether the column was declared an identifier, or its name is nothing but an id."""


def person_columns(names: Sequence[str], roles: Roles) -> list[PersonColumns]:
    """List the columns of a table, by their names and roles, that may say whose row it is."""
    chosen = []
    for name in names:
        kind = pointing(name)
        bare = BARE.search(words_of(name)) is not None
        declared = name in roles.identifiers
        if kind is None and bare:
            kind = "id"
        if kind is not None and kind != "thing":
            chosen.append(PersonColumns((name,), kind, meant=bare or declared))
        elif kind is None and declared and _says_nothing(name):
            chosen.append(PersonColumns((name,), "unknown"))
    return [*chosen, *_named(names)]


def _says_nothing(name: str) -> bool:
    """Tell whether the name of a column is neither that of someone nor of a fact about people."""
    rule = rule_for(name, points=False)
    return rule is None or (rule.role == "identifier" and not _is_name(words_of(name)))


def _is_name(words: str) -> bool:
    return (
        re.search(_whole("name|names|nom|nombre|nome|naam") + f"|{GIVEN}|{FAMILY}", words)
        is not None
    )


def _named(names: Sequence[str]) -> list[PersonColumns]:
    """Find names of people beside their birth date: a family name or a full name at least."""
    words = {name: words_of(name) for name in names}

    def first(pattern: str) -> str | None:
        return next((name for name in names if re.fullmatch(pattern, words[name])), None)

    born = first(BIRTH)
    family = first(FAMILY) or first(FULL)
    if born is None or family is None:
        return []
    given = first(GIVEN)
    both = (given, family) if given is not None else (family,)
    return [PersonColumns((*both, born), "named")]
