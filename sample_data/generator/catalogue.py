"""All samples, by the name of their folder."""

from sample_data.generator import hecktor2026, isic, melanoma, puma, tricorder3

LESIONS = {
    "tricorder3": tricorder3.SAMPLE,
    "melanoma": melanoma.SAMPLE,
    "isic2018": isic.SAMPLE_2018,
    "isic2019": isic.SAMPLE_2019,
}
SAMPLES = {**LESIONS, "puma": puma.SAMPLE, "hecktor2026": hecktor2026.SAMPLE}
