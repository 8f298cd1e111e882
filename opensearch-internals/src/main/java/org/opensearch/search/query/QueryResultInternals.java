package org.opensearch.search.query;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.NullMarked;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.search.aggregations.InternalAggregations;

/** Sets the parts of a query result that OpenSearch itself only reads from a stream. */
@NullMarked
public final class QueryResultInternals {
  private static final VarHandle AGGREGATIONS = field("aggregations", DelayableWriteable.class);
  private static final VarHandle HAS_AGGREGATIONS = field("hasAggs", boolean.class);
  private static final VarHandle HAS_DOCS = field("hasScoreDocs", boolean.class);

  private QueryResultInternals() {}

  private static VarHandle field(String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(QuerySearchResult.class, MethodHandles.lookup())
          .findVarHandle(QuerySearchResult.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Sets aggregations that may still be bytes. */
  public static void setAggregations(
      QuerySearchResult result, DelayableWriteable<InternalAggregations> aggregations) {
    HAS_AGGREGATIONS.set(result, true);
    AGGREGATIONS.set(result, aggregations);
  }

  /** Sets whether the result has top documents. */
  public static void setHasDocs(QuerySearchResult result, boolean hasDocs) {
    HAS_DOCS.set(result, hasDocs);
  }
}
