package dev.weir.responses.columnar;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Determines the columns of a scroll's further page, whose search is unknown, from its hits. The
 * first page {@linkplain RequestedColumns#withoutDates has no dates} in the same fields.
 */
final class FurtherPageColumns {
  private FurtherPageColumns() {}

  static RequestedColumns of(ResponseHits hits) {
    boolean hasScores = false;
    Set<String> fields = new LinkedHashSet<>();
    for (int i = 0; i < hits.count(); i++) {
      hasScores = hasScores || hits.hasScore(i);
      fields.addAll(hits.fieldNames(i));
    }
    return new RequestedColumns(
        hasScores, false, false, false, List.of(), FieldPatterns.ofFields(fields));
  }
}
