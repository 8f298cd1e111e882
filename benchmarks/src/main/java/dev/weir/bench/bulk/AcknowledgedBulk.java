package dev.weir.bench.bulk;

import java.util.List;

/**
 * A bulk with at least one acknowledged document.
 *
 * @param firstNumber the number of its first document
 * @param ids by document; empty for one that was not acknowledged
 */
record AcknowledgedBulk(long firstNumber, List<String> ids) {}
