package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.rest.AnswerForm.Outputs;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.aggregations.Aggregations;

/** All tables of aggregations as JSON columns. Used by one thread. */
final class JsonTables implements AggregationWalk.Tables {
  private final AskedTables asked;
  private final Outputs outputs;
  private final Map<String, Written> byPath = new LinkedHashMap<>();

  private record Written(AggregationTable table, JsonColumns json) {}

  /**
   * Makes them.
   *
   * @param asked those that are there whatever was found
   */
  JsonTables(AskedTables asked, Outputs outputs) {
    this.asked = asked;
    this.outputs = outputs;
    asked.paths().forEach(this::at);
  }

  @Override
  public AggregationTable at(String path) {
    Written written = byPath.get(path);
    if (written == null) {
      Columns columns = new Columns();
      asked.declare(path, columns);
      JsonColumns json = new JsonColumns(columns, outputs);
      written = new Written(new AggregationTable(columns, json), json);
      byPath.put(path, written);
    }
    return written.table;
  }

  @Override
  public boolean wanted(String path) {
    at(path); // there even if it has no row
    return true;
  }

  /**
   * Adds the member {@code aggregations} of an object that has others.
   *
   * @param pieces what is there already of it
   */
  void addTo(List<BytesReference> pieces, Aggregations aggregations) throws IOException {
    new AggregationWalk(this).walk(aggregations);
    Written root = byPath.get(AggregationWalk.ROOT);
    if (root != null && root.table.columns().size() == 0) {
      byPath.remove(AggregationWalk.ROOT);
    }
    JsonBytes head = new JsonBytes(64);
    head.ascii(",\"aggregations\":{");
    for (Map.Entry<String, Written> each : byPath.entrySet()) {
      head.quote(each.getKey());
      head.ascii(":{");
      pieces.add(JsonColumns.reference(head));
      each.getValue().json.addTo(pieces);
      head = new JsonBytes(32);
      head.ascii("},");
    }
    int last = byPath.isEmpty() ? 0 : 1;
    pieces.add(new BytesArray(head.bytes(), 0, head.length() - last));
    pieces.add(new BytesArray("}"));
  }
}
