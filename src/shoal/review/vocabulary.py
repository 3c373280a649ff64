"""Vocabulary: tells the role of a column by its name, in English and a few other languages.

Names are read as words: `BirthDate`, `birth_date` and `BIRTH-DATE` are all "birth date", accents
dropped, digits apart. Rules are tried in order, and the first that fits gives the role and the
reason. A word alone is matched whole (`age` is not in `wage`); a stem with a tilde is matched
anywhere in a word (`~diagnos` fits "diagnosis" and "Hauptdiagnose").
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Role = Literal["person", "identifier", "quasi", "sensitive", "keep", "drop"]


@dataclass(frozen=True)
class RoleRule:
    """A role, the reason for it, and the words that lead to it."""

    role: Role
    reason: str
    words: str
    coded: bool = False
    """True: fits only where many different values make the column point at people."""

    def fits(self, words: str) -> bool:
        """Tell whether a name, as words, holds one of the rule's words."""
        return _pattern(self.words).search(words) is not None


RULES = (
    RoleRule(
        "identifier",
        "its name says that it points at one person",
        "ssn|social security|passport|~passeport|email|e mail|mail|phone|~telefon|~telephone|"
        "telefono|mobile|handy|tel|iban|uuid|guid|mrn|nhs|vin|~username|login|ip|address|addr|"
        "adresse|direccion|indirizzo|street|strasse|licence plate|license plate|insurance number|"
        "tax id|card number|account number|acct|konto|kontonummer|~telefoon|cellulare|adres|straat|"
        "voornaam|achternaam|rekeningnummer|firstname|lastname|surname|"
        "forename|vorname|nachname|familienname|prenom|apellido|apellidos|cognome|(?:first|last|"
        "given|family|middle|maiden|full|birth|patient|customer|person|user) name|(?:patient|"
        "customer|client|person|member|employee|student|case|record|policy|national|kunden|"
        "patienten) ?(?:id|no|nr|num|number|nummer|key|code)",
    ),
    RoleRule(
        "identifier",
        "its name says that it numbers people or households",
        "id|ids|hid|pid|uid|hhid|idx|~identifier|~identifiant|kennung|kennziffer",
        coded=True,
    ),
    RoleRule(
        "drop",
        "its name says that it is a sampling weight: exact weights identify strata",
        "~wgt|~wght|~dweight|sampling|weights|~gewichtung|~hochrechnung|ponderation|ponderacion|"
        "(?:instance|survey|sample|design|household|stratification|population|size|analysis|"
        "probability|calibration|expansion|nonresponse|response|frequency) weight",
    ),
    RoleRule(
        "drop",
        "its name says that it is free text, in which anyone may be named",
        "~bemerkung|~kommentar|~anmerkung|~freitext|free text|comment|comments|remark|remarks|"
        "~commentaire|~observacion|~comentario|~opmerking|~annotazion|notizen|notiz|memo",
    ),
    RoleRule(
        "sensitive",
        "its name says that it is about health",
        "~diagnos|~disease|~illness|ill|~symptom|icd|hiv|aids|~cancer|~tumou?r|~medic|drug|drugs|"
        "~treatment|~therap|~surger|blood|bmi|~cholest|~disabil|~krank|~maladie|~enfermedad|"
        "~malattia|~pregnan|~psych|~mortal|death|died|smok\\w*|"
        # diseases, in words that these languages share or nearly do
        "~diabet|~asthma|~asthme|asma|stroke|~schlaganfall|accident vasculaire|ictus|~infar|"
        "~hyperten|~hiperten|~hyperton|~bluthochdruck|~epilep|~arthrit|~artrit|~alzheimer|"
        "~demen[zct]|"
        "~parkinson|~hepatit|~tubercul|~tuberkul|~pneumon|~bronchit|copd|bpco|epoc|~leuk[ae]?m|"
        "~carcin|krebs|~depress|anxiety|angst|~schizo|bipolar|~autis|adhd|adhs|~obesi|~adipos|"
        "~allerg|~infection|~infekt|~infeccion|~covid|flu|~influenza|~gripp|~migr[aä]n|~nephr|"
        "~kidney|"
        "liver|heart|herz\\w*|~cardi[ao]|coeur|corazon|lung|~chronic|~comorbid|sepsis|malaria|"
        # symptoms and findings
        "fever|fieber|fievre|fiebre|cough|husten|toux|pain|schmerz\\w*|douleur|dolor|nausea|"
        "~beschwerde|befund\\w*|~systolic|~diastolic|~glucose|~glukose|hba|~hemoglobin|"
        "~haemoglobin|"
        "~addict|~alcohol|~alkohol|~tobacco|tabak|tabac|raucher\\w*|fumeur|fumador|~suicid|~suizid|"
        "~schwanger|enceinte|embaraz\\w*|~behinder|~handicap|~discapacidad|"
        # drugs and treatment
        "~insulin|~metformin|~antibiot|~opioid|~morphin|~vaccin|~impf|~vacuna|dose|dosis|~dosage|"
        "~prescri|rezept|ordonnance|receta|atc|ndc|fachabteilung|fachrichtung|"
        "~medik|~arznei|~farmac|~traitement|~tratamiento|"
        "~behandlung|~chirurg|cirugia|condition|~procedure|drg|"
        # Italian and Dutch, and what the others lack
        "~malatti|~sintom|cancro|~iperten|gravidanza|fumatore|febbre|tosse|dolore|ricetta|~terapi|"
        "~ziekte|~aandoening|kanker|beroerte|~bloeddruk|~astma|koorts|hoest|pijn|~zwanger|roker|"
        "roken|rookt|~behandeling|~klacht|recept|overleden|~beperking|~verslav|~blutdruck|tod|"
        "verstorben|sucht|rauchen|avc|grossesse|deces|mort|muerte|~fallec|morte|decesso",
    ),
    RoleRule(
        "sensitive",
        "its name says that it is about money",
        "~income|~salar|wage|wages|~earning|~revenue|~expen[ds]|cost|costs|price|fee|~saving|"
        "~capital|~dividend|~asset|wealth|debt|loan|credit|default|~balance|bal|bill|pay|payment|"
        "amt|amount|charge|charges|tax|~benefit|pension|profit|loss|gehalt|lohn|~einkommen|kosten|"
        "betrag|schulden|umsatz|~vermogen|rente|~kredit|"
        "\\w*kosten|\\w*betrag|\\w*gehalt|\\w*lohn|\\w*preis|steuer|miete|rent|impot|loyer|dette|"
        "epargne|"
        "montant|prix|deuda|ahorro|importe|precio|nomina|prestamo|impuesto|alquiler|spend|budget|"
        "bonus|turnover|~mortgage|hypothek|premium|~salaire|revenu|cout|sueldo|ingresos|ingreso|"
        "coste|costo|reddito|stipendio|prezzo|spesa|spese|importo|debito|debiti|mutuo|affitto|"
        "imposta|imposte|tasse|pensione|~risparm|inkomen|loon|bedrag|schuld|hypotheek|huur|"
        "belasting|uitkering|prijs|uitgaven|pensioen|depenses|impots|gasto|gastos|renta|hipoteca",
    ),
    RoleRule(
        "sensitive",
        "its name says that it is a belief, an orientation or a conviction",
        "~religio|faith|creed|~orientation|~politic|party|vote|votes|union|~crim|~convict|~arrest|"
        "~offen[cs]e|~konfession|partei\\w*|~wahlabsicht|~gewerkschaft|parti|partito|partido|"
        "partij|~syndicat|~sindacat|~sindicat|vakbond",
    ),
    RoleRule(
        "quasi",
        "its name says where: others know it",
        "zip|~zipcode|~postcode|postal|plz|~postleitzahl|cap|city|town|village|ort|stadt|ville|"
        "ciudad|citta|~country|county|state|province|~region|~district|~municip|canton|kanton|"
        "bundesland|land|pays|pais|paese|area|gemeinde|"
        "landkreis|kreis|bezirk|wohnort|herkunft|ortsteil|commune|departement|arrondissement|"
        "quartier|lieu|municipio|provincia|comunidad|barrio|poblacion|localidad|lugar|"
        "geo|nuts|fips|borough|parish|suburb|postnr|code postal|codigo postal|cp|"
        "~location|~residen|~national|~citizen|~staatsang|"
        "comune|regione|stato|quartiere|luogo|localita|nazione|cittadinanza|gemeente|provincie|"
        "woonplaats|stad|wijk|buurt|regio|plaats|~birthplace|~neighbou?rhood|"
        "urban|rural|urbrur|latitude|longitude|lat|lon|lng",
    ),
    RoleRule(
        "quasi",
        "its name says when or how old: others know it",
        "age|ages|alter|edad|eta|idade|leeftijd|~birth|dob|dobyy|dobmm|yob|born|~geburt|~naissance|"
        "gebjahr|gebdatum|gebdat|nacimiento|nascita|~jahrgang|~geboorte|geboren|annee de naissance",
    ),
    RoleRule(
        "quasi",
        "its name says what others see or know of a person",
        "sex|gender|geschlecht|geschl|sexe|sexo|sesso|race|~ethnic|~hispanic|colou?r|skin|~marital|"
        "marital|~married|marriage|familienstand|~civil|estado|~relationship|relat|~family|"
        "~household|~child|~kinder|language|sprache|langue|height|weight|~veteran|roof|wall|walls|"
        "water|elect|electcon|~electric|housing|dwelling|tenure|genere|figli|lingua|altezza|peso|"
        "etnia|geslacht|burgerlijk\\w*|taal|lengte|gewicht|~etnic|huishouden|gezin|genero|hijos|"
        "idioma|estatura|altura|genre|enfants|taille|poids|~ethni|groesse|grosse|~haushalt",
    ),
    RoleRule(
        "quasi",
        "its name says what a person learnt or works as: others know it",
        "~educat|school|degree|~bildung|etudes|~occupation|job|jobs|~profession|beruf|~employ|"
        "~employer|workclass|worker|~industr|sector|~experience|rank|grade|department|~military|"
        "isco|nace|naics|isic|~tatigkeit|stelle|abteilung|branche|wirtschaftszweig|metier|"
        "lavoro|mestiere|impiego|istruzione|settore|scuola|laurea|titolo di studio|beroep|baan|"
        "functie|werk|opleiding|onderwijs|~diploma|bedrijfstak|werkgever|trabajo|educacion|"
        "escolaridad|travail|studium|~profesion|emploi|poste|secteur|~diplome|"
        "ocupacion|empleo|puesto|estudios|~abschluss|~ausbildung",
    ),
    RoleRule(
        "identifier", "its name says that it names someone", "name|names|nom|nombre|nome|naam|~name"
    ),
    RoleRule(
        "sensitive",
        "its name says that it is an outcome to be learnt",
        "y|target|label|class|~outcome|result|score",
    ),
)


def words_of(name: str) -> str:
    """Split the name of a column into plain words.

    >>> words_of("PatientBirth_Date2"), words_of("Código-Postal"), words_of("UTILITYID")
    ('patient birth date 2', 'codigo postal', 'utilityid')
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", plain)
    return " ".join(re.findall(r"[^\W_]+", plain.lower()))


def rule_for(name: str, *, points: bool, either_or: bool = False) -> RoleRule | None:
    """Find the first rule that fits a name.

    `points` says whether the column has enough different values to point at people, `either_or`
    that it has two at most and so identifies nobody, whatever it is called (`has_phone`).
    """
    words = words_of(name)
    for rule in RULES:
        possible = (points or not rule.coded) and not (either_or and rule.role == "identifier")
        if possible and rule.fits(words):
            return rule
    return None


_PATTERNS: dict[str, re.Pattern[str]] = {}


def _pattern(words: str) -> re.Pattern[str]:
    """Compile the words into one pattern, made once."""
    if words not in _PATTERNS:
        parts = (
            rf"\w*{part[1:]}\w*" if part.startswith("~") else part
            for part in re.split(r"\|(?![^(]*\))", words)
        )
        _PATTERNS[words] = re.compile(rf"\b(?:{'|'.join(parts)})\b")
    return _PATTERNS[words]
