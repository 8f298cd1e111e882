package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBuffer;

/**
 * An index of which there are hits.
 *
 * @param name its name
 * @param quotedName its name in quotes
 * @param root where its documents' members are looked for
 */
record HitIndexColumns(String name, JsonBuffer quotedName, SourceNode root) {
  static HitIndexColumns create(String name, MappedFields mapped, Columns columns) {
    JsonBuffer json = new JsonBuffer(name.length() + 2);
    json.writeQuoted(name);
    return new HitIndexColumns(name, json, new SourceNode(mapped, columns));
  }
}
