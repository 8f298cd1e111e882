package dev.weir.gateway.reduce;

import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * Reads what the shards of one search answer.
 *
 * @param watched whether the breaker looks at the heap while aggregations are expanded, because
 *     they may take far more memory than bytes
 */
record AnswerReading(ReduceServices services, boolean watched) {
  /** Expands the aggregations of an answer. */
  Writeable.Reader<InternalAggregations> aggregations() {
    return whole(InternalAggregations::readFrom);
  }

  /** Reads an answer whose aggregations are expanded later. */
  <R> Writeable.Reader<R> whole(Writeable.Reader<R> reader) {
    return watched
        ? in -> reader.read(new WatchedReading(in, services.writeables(), services.breaker()))
        : reader;
  }
}
