"""Runs inside the environment of the peers: lists of times, events and risks as JSON in, what lifelines and
scikit-survival say as JSON out."""

import json
import sys

import lifelines.utils
import numpy as np
from lifelines import KaplanMeierFitter
from lifelines.statistics import multivariate_logrank_test
from sksurv.metrics import concordance_index_censored, concordance_index_ipcw
from sksurv.nonparametric import kaplan_meier_estimator


def said(time: list, event: list, risk: list, group: list) -> dict:
    time, event, risk = np.array(time, float), np.array(event, bool), np.array(risk, float)
    c_index, concordant, discordant, tied, _ = concordance_index_censored(event, time, risk, tied_tol=0)
    moments, survival = kaplan_meier_estimator(event, time)
    fitted = KaplanMeierFitter().fit(time, event)
    test = multivariate_logrank_test(time, group, event)
    patients = np.array([*zip(event, time, strict=True)], [("event", bool), ("time", float)])
    return {
        "uno": [
            concordance_index_ipcw(patients, patients, risk, horizon)[0]
            for horizon in (time.max(), np.median(time))
        ],
        "lifelines": lifelines.utils.concordance_index(time, -risk, event),
        "scikit-survival": [c_index, int(concordant), int(discordant), int(tied)],
        "kaplan-meier": [moments.tolist(), survival.tolist(), fitted.predict(moments).tolist()],
        "log-rank": [float(test.test_statistic), float(test.p_value)],
    }


print(json.dumps([said(*case) for case in json.load(sys.stdin)]))
