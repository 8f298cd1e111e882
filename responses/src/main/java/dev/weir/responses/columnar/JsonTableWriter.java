package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBuffer;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.aggregations.Aggregations;

/** All tables of aggregations as JSON columns. Used by one thread. */
final class JsonTableWriter implements AggregationTabulator.TableProvider {
  private final RequestedTables requestedTables;
  private final OutputFactory outputs;
  private final Map<String, TableOutput> outputsByPath = new LinkedHashMap<>();

  private record TableOutput(AggregationTableBuilder table, JsonColumnWriter json) {}

  /**
   * Makes them.
   *
   * @param asked those that are there whatever was found
   */
  JsonTableWriter(RequestedTables asked, OutputFactory outputs) {
    this.requestedTables = asked;
    this.outputs = outputs;
    asked.paths().forEach(this::tableAt);
  }

  @Override
  public AggregationTableBuilder tableAt(String path) {
    TableOutput written = outputsByPath.get(path);
    if (written == null) {
      Columns columns = new Columns();
      requestedTables.declare(path, columns);
      JsonColumnWriter json = new JsonColumnWriter(columns, outputs);
      written = new TableOutput(new AggregationTableBuilder(columns, json), json);
      outputsByPath.put(path, written);
    }
    return written.table;
  }

  @Override
  public boolean isWanted(String path) {
    tableAt(path); // there even if it has no row
    return true;
  }

  /**
   * Adds the member {@code aggregations} of an object that has others.
   *
   * @param pieces what is there already of it
   */
  void appendTo(List<BytesReference> pieces, Aggregations aggregations) throws IOException {
    new AggregationTabulator(this).writeTables(aggregations);
    TableOutput root = outputsByPath.get(AggregationTabulator.ROOT);
    if (root != null && root.table.columns().size() == 0) {
      outputsByPath.remove(AggregationTabulator.ROOT);
    }
    JsonBuffer head = new JsonBuffer(64);
    head.writeAscii(",\"aggregations\":{");
    for (Map.Entry<String, TableOutput> each : outputsByPath.entrySet()) {
      head.writeQuoted(each.getKey());
      head.writeAscii(":{");
      pieces.add(JsonColumnWriter.toReference(head));
      each.getValue().json.appendTo(pieces);
      head = new JsonBuffer(32);
      head.writeAscii("},");
    }
    int last = outputsByPath.isEmpty() ? 0 : 1;
    pieces.add(new BytesArray(head.bytes(), 0, head.length() - last));
    pieces.add(new BytesArray("}"));
  }
}
