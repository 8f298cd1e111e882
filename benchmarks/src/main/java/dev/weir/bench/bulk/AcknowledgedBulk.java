package dev.weir.bench.bulk;

import java.util.List;

/**
 * A bulk some of which was acknowledged.
 *
 * @param firstNumber the number of its first document
 * @param ids by document; empty where it was not acknowledged
 */
record AcknowledgedBulk(long firstNumber, List<String> ids) {}
