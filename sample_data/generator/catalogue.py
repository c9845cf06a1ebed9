"""All samples, by the name of their folder."""

from sample_data.generator import isic, melanoma, tricorder3

SAMPLES = {
    "tricorder3": tricorder3.SAMPLE,
    "melanoma": melanoma.SAMPLE,
    "isic2018": isic.SAMPLE_2018,
    "isic2019": isic.SAMPLE_2019,
}
