package dev.weir.admission.queue;

/**
 * What a call that ended has cost its tenant.
 *
 * @param ratio how long it held its slot, divided by what its cost class takes on an idle node
 */
record CallCost(String tenant, double ratio) {}
