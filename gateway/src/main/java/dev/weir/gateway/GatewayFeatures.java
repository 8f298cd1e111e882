package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteService;
import dev.weir.bluegreen.shadow.ShadowReads;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;

/** The features that all clusters share; each has its own policy section. Safe on any thread. */
record GatewayFeatures(
    DeadlineService deadlines,
    ResponseTrimmer trimming,
    SearchSampler sampling,
    ExportCounts exports,
    DualWriteService dualWrites,
    ShadowReads shadowReads) {}
