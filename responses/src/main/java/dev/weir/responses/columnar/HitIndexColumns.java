package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Columns;

/**
 * The columns of one index that has hits.
 *
 * @param name the index's name
 * @param quotedName the name as a JSON string
 * @param root the root of the members of its documents
 */
record HitIndexColumns(String name, JsonBuffer quotedName, SourceNode root) {
  static HitIndexColumns create(String name, MappedFields mapped, Columns columns) {
    JsonBuffer json = new JsonBuffer(name.length() + 2);
    json.writeQuoted(name);
    return new HitIndexColumns(name, json, new SourceNode(mapped, columns));
  }
}
