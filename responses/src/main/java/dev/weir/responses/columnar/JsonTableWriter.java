package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.aggregations.Aggregations;

/** Writes all aggregation tables as JSON columns. Used by one thread. */
final class JsonTableWriter implements AggregationTabulator.TableProvider {
  private final RequestedTables requestedTables;
  private final OutputFactory outputs;
  private final Map<String, TableOutput> outputsByPath = new LinkedHashMap<>();

  private record TableOutput(AggregationTableBuilder table, JsonColumnWriter json) {}

  /**
   * Starts without output.
   *
   * @param requested the tables that exist even without buckets
   */
  JsonTableWriter(RequestedTables requested, OutputFactory outputs) {
    this.requestedTables = requested;
    this.outputs = outputs;
    requested.paths().forEach(this::tableAt);
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
    tableAt(path); // a requested table exists even without rows
    return true;
  }

  /**
   * Appends the member {@code aggregations} to an object that already has members.
   *
   * @param pieces the object as written so far
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
