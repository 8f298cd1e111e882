package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;

/**
 * An index of which there are hits.
 *
 * @param name its name
 * @param json its name in quotes
 * @param root where its documents' members are looked for
 */
record HitsIndex(String name, JsonBytes json, SourceNode root) {
  static HitsIndex of(String name, MappedFields mapped, Columns columns) {
    JsonBytes json = new JsonBytes(name.length() + 2);
    json.quote(name);
    return new HitsIndex(name, json, new SourceNode(mapped, columns));
  }
}
