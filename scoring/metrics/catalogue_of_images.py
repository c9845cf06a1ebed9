"""The catalogue of metrics of masks, points and boxes."""

from scoring.metrics.metric import Parameter, Row, metrics

MASKS, POINTS, BOXES = ("segmentation",), ("points",), ("boxes",)
SHARE, ANY_SIZE = (0.0, 1.0), (0.0, float("inf"))
DEEPMIND = "DeepMind: surface-distance (Nikolov et al. 2021)"
RULES = ("best", "worst", "skip")

STRUCTURE = Parameter(str, None, (), "Name of the one structure that counts; without it the mean over all.")
BOTH_EMPTY = Parameter(
    str, "best", RULES, "What a case counts where truth and prediction are empty; skip: it leaves the mean."
)
EMPTY_TRUTH = Parameter(
    str, "worst", RULES[1:], "What a case counts where only the truth is empty; skip: it leaves the mean."
)
POOLED = Parameter(
    str,
    "macro",
    ("macro", "micro"),
    "macro: the mean over cases of each structure, then over structures. micro: all cases taken as one.",
)
EMPTY = {"both_empty": BOTH_EMPTY, "empty_truth": EMPTY_TRUTH, "class": STRUCTURE}
OVERLAP = {"average": POOLED, **EMPTY}
DISTANCE = {
    **EMPTY,
    "worst_mm": Parameter(
        float, None, ANY_SIZE, "Distance where one mask is empty; without it the diagonal of the image."
    ),
}
LESIONS = {"average": POOLED, "both_empty": BOTH_EMPTY, "class": STRUCTURE}

SMALL = (
    "In small structures a single voxel matters, in empty ones the rule: show a boundary metric beside it."
)
DEFINED = "Where a case has truth or prediction, or a rule for neither."
UNBOUNDED = "It has no upper end: the distance of a missed structure is a convention, and can decide a mean."

OF_MASKS = (
    *metrics(
        "segmentation",
        MASKS,
        "higher",
        SHARE,
        "masks",
        Row(
            "dice",
            "Dice similarity coefficient",
            DEFINED,
            "Dice 1945; MONAI: compute_dice",
            SMALL,
            ("dsc", "f1 of voxels"),
            OVERLAP,
            "regions:sizes",
        ),
        Row(
            "iou",
            "Intersection over union",
            DEFINED,
            "Jaccard 1912; MONAI: compute_iou",
            f"It ranks single cases as Dice does. {SMALL}",
            ("jaccard index",),
            OVERLAP,
            "regions:sizes",
        ),
        Row(
            "nsd",
            "Normalized surface Dice",
            DEFINED,
            DEEPMIND,
            "It sees boundaries, not volumes; the tolerance should be what two experts differ by.",
            ("surface dice", "normalised surface distance"),
            {
                "tolerance_mm": Parameter(float, 1.0, ANY_SIZE, "Distance in mm that counts as none."),
                **OVERLAP,
            },
            "regions:nsd",
        ),
        Row(
            "lesion_f1",
            "F1 of lesions",
            "Where a case has a lesion in truth or prediction, or a rule for neither.",
            "HECKTOR 2025; panoptica",
            "It says nothing about outlines; lesions that touch are one, and tiny false ones count in full.",
            ("lesion-wise f1", "detection f1"),
            {
                "iou": Parameter(
                    float, 0.0, SHARE, "A pair of lesions matches, one to one, where its IoU is above this."
                ),
                **LESIONS,
            },
            "regions:lesions",
        ),
        Row(
            "lesion_dice",
            "Lesion-wise Dice",
            "Where a case has a lesion in truth or prediction, or a rule for neither.",
            "BraTS 2023: LesionWise_Score_Dice",
            "It depends on dilation and least volume; a speck that is no lesion weighs as much as a tumour.",
            ("lesion-wise dice",),
            {
                "dilation": Parameter(
                    int,
                    3,
                    (0, 50),
                    "Voxels by which lesions of the truth grow before those that touch are one.",
                ),
                "min_volume_mm3": Parameter(
                    float, 50.0, ANY_SIZE, "Lesions of the truth up to this volume do not count."
                ),
                **LESIONS,
            },
            "regions:lesion_dice",
        ),
    ),
    *metrics(
        "segmentation",
        MASKS,
        "lower",
        ANY_SIZE,
        "masks",
        Row(
            "hd95",
            "95 % Hausdorff distance",
            "Where a case has truth or prediction, or a rule for neither; in mm.",
            DEEPMIND,
            f"{UNBOUNDED} Programs define the 95 % differently: here by area, the larger of both directions.",
            ("hausdorff distance 95", "robust hausdorff distance"),
            DISTANCE,
            "regions:hd95",
        ),
        Row(
            "assd",
            "Average symmetric surface distance",
            "Where a case has truth or prediction, or a rule for neither; in mm.",
            f"Both directions by area, distances and areas of {DEEPMIND}",
            f"{UNBOUNDED} It hides a single large error.",
            ("average surface distance", "asd"),
            DISTANCE,
            "regions:assd",
        ),
        Row(
            "volume_difference",
            "Absolute volume difference",
            "In ml always (of 2D masks in mm2); as a share where the truth is not empty, or both are.",
            "Absolute difference of the volumes",
            "Volumes can agree where the masks do not even touch: show an overlap beside it.",
            ("absolute volume error", "ravd"),
            {
                "unit": Parameter(str, "ml", ("ml", "share"), "ml, or share of the truth's volume."),
                "class": STRUCTURE,
            },
            "regions:sizes",
        ),
        *(
            Row(
                f"false_{kind}_volume",
                f"False {kind} volume",
                "Always; in ml, of 2D masks in mm2.",
                "AutoPET",
                f"A lesion that is touched by one voxel counts as found: show an overlap beside it. {note}",
                (),
                {"empty_truth": EMPTY_TRUTH, "class": STRUCTURE},
                f"regions:false_{kind}s",
            )
            for kind, note in (
                ("positive", "Who predicts nothing has none."),
                ("negative", "Who predicts everything has none."),
            )
        ),
    ),
)

OBJECTS = "Where the truth has an object."
RADIUS = Parameter(float, 10.0, ANY_SIZE, "Largest distance of a match, in the unit of the coordinates.")
IOU = Parameter(float, 0.5, (0.01, 1.0), "Least intersection over union of a match.")
RATES = Parameter(
    str,
    "luna16",
    ("luna16", "camelyon16"),
    "False alarms per image at which sensitivity is read: 1/8, 1/4, 1/2, 1, 2, 4, 8, or 1/4 to 8.",
)
ONE_KIND = Parameter(str, None, (), "Name of the one class that counts; without it the mean over all.")
OF_KIND = {"class": ONE_KIND}
RADIUS_DECIDES = "The radius decides it: state where it comes from."
FREE_RESPONSE = "It depends on the number of images without an object, and forgives more the larger they are."

OF_OBJECTS = (
    *metrics(
        "detections",
        POINTS,
        "higher",
        SHARE,
        "points",
        Row(
            "f1",
            "F1 of detections",
            "Where a class has an object or a detection.",
            "MIDOG, evalutils: score_detection",
            f"{RADIUS_DECIDES} All images are taken as one: an image with many objects decides much.",
            ("f1 of points",),
            {
                "radius": RADIUS,
                "prefer": Parameter(
                    str, "nearest", ("nearest", "score"), "Which free detection an object takes first."
                ),
                "average": Parameter(
                    str, "macro", ("macro", "micro"), "Mean over classes: plain, or of all objects as one."
                ),
                **OF_KIND,
            },
            "found_objects:chosen_points",
        ),
        Row(
            "froc",
            "Sensitivity at false alarms per image (FROC)",
            OBJECTS,
            "LUNA16, CAMELYON16",
            FREE_RESPONSE,
            ("competition performance metric", "cpm"),
            {"radius": RADIUS, "rates": RATES, **OF_KIND},
            "found_objects:froc_points",
        ),
        Row(
            "average_precision",
            "Average precision of detections",
            OBJECTS,
            "Everingham et al. 2010, not interpolated",
            f"{RADIUS_DECIDES} Its precision depends on how frequent objects are.",
            ("ap",),
            {"radius": RADIUS, **OF_KIND},
            "found_objects:ranked_points",
        ),
    ),
    *metrics(
        "detections",
        BOXES,
        "higher",
        SHARE,
        "boxes",
        Row(
            "ap",
            "Average precision of boxes",
            OBJECTS,
            "COCO, pycocotools: AP at one IoU, all areas, 100 detections of a class in an image",
            "For small objects a shift by a pixel costs the match; choose a lower IoU for them.",
            ("ap50", "average precision"),
            {"iou": IOU, **OF_KIND},
            "found_objects:coco_boxes",
        ),
        Row(
            "coco_map",
            "COCO's mean average precision",
            OBJECTS,
            "COCO, pycocotools: AP at IoU 0.50 to 0.95, all areas, 100 detections of a class in an image",
            "Its higher limits ask for more than experts agree on: show ap at a lower IoU beside it.",
            ("map", "ap@[.50:.95]"),
            OF_KIND,
            "found_objects:coco_boxes",
        ),
        Row(
            "froc",
            "Sensitivity at false alarms per image (FROC)",
            OBJECTS,
            "LUNA16, CAMELYON16",
            FREE_RESPONSE,
            ("competition performance metric", "cpm"),
            {"iou": IOU, "rates": RATES, **OF_KIND},
            "found_objects:froc_boxes",
        ),
    ),
)
