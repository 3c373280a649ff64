"""Columns that say whose row it is, by their names."""

from __future__ import annotations

import pytest

from shoal.declare.roles import Roles
from shoal.review.person_columns import person_columns, pointing

NAMES = {
    "person": "PatientID PATIENTID patient_id Patienten-Nr Kundennummer kundennr id_cliente "
    "numero_de_paciente numero_paziente codice_paziente klantnummer ssn MRN NHS_number BSN "
    "codice_fiscale Sozialversicherungsnummer email e-mail user_id username person_id seqn subjid "
    "USUBJID Matrikelnummer employee_no identifiant_patient n_patient",
    "case": "record_id case_number Fallnummer caseid numero_dossier",
    "id": "id ID uuid study_id foo_id Contact_ID pid identifier",
    "shared": "household_id hhid ori_hid phone phone_number mobile iban account_no policy_no "
    "Haushaltsnummer family_id room_no id_familia",
    "thing": "visit_id order_no invoice_number provider_id care_site_id gender_concept_id "
    "visit_occurrence_id patient_visit_id customer_order_number hospital_id doctor_id ward_no "
    "zip_code postcode diagnosis_code UTILITYID tax_code job_code state_code sample_id",
}
NOTHING = (
    "age ward diagnosis num_persons number_of_persons numero_de_personas n_children user_rating "
    "patient_type caseload member_since personal_status nombre state icd10 income width grid valid"
)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names.split()]
)
def test_names_point_at_what_they_say(kind: str, name: str) -> None:
    assert pointing(name) == kind


@pytest.mark.parametrize("name", NOTHING.split())
def test_other_names_point_at_nobody(name: str) -> None:
    assert pointing(name) is None


def columns(*names: str, identifiers: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (each.points_at, each.columns)
        for each in person_columns(names, Roles((), identifiers=identifiers))
    ]


def test_declared_identifiers_are_looked_at_unless_their_name_says_what_they_are() -> None:
    declared = ("x17", "first_name", "postcode", "diagnosis", "name", "order_no")
    assert columns(*declared) == []
    assert columns(*declared, identifiers=declared) == [("unknown", ("x17",))]


def test_a_family_name_stands_beside_a_birth_date() -> None:
    assert columns("first_name", "last_name", "dob") == [
        ("named", ("first_name", "last_name", "dob"))
    ]
    assert columns("Nachname", "Geburtsdatum", "x") == [("named", ("Nachname", "Geburtsdatum"))]
    assert columns("name", "birth_date") == [("named", ("name", "birth_date"))]
    assert columns("first_name", "birth_date") == []  # too many people share these by chance
    assert columns("hospital_name", "birth_date") == []
    assert columns("name", "birth_place") == []
