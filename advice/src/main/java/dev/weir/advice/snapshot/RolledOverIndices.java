package dev.weir.advice.snapshot;

import dev.weir.client.JsonTree;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the indices that a later index has replaced, in an alias or a data stream. An index counts
 * only if no alias and no data stream writes to it. For one thread.
 */
final class RolledOverIndices {
  /** By alias and index; empty for an index without a flag. */
  private final Map<String, Map<String, String>> writeFlags = new HashMap<>();

  private final Set<String> replaced = new HashSet<>();
  private final Set<String> written = new HashSet<>();

  /** Adds a member of {@link ApiSource#ALIASES}: the aliases of an index. */
  void addAliases(String index, JsonTree member) {
    member
        .child("aliases")
        .forEachMember((alias, options) ->
            writeFlags
                .computeIfAbsent(alias, any -> new HashMap<>())
                .put(index, options.text("is_write_index")));
  }

  /** Adds an element of {@link ApiSource#DATA_STREAMS}, which writes to its last index. */
  void addDataStream(JsonTree stream) {
    List<JsonTree> backing = stream.children("indices");
    backing.forEach(index -> replaced.add(index.text("index_name")));
    if (!backing.isEmpty()) {
      written.add(backing.getLast().text("index_name"));
    }
  }

  /** Returns the names; call it after everything was added. */
  Set<String> names() {
    writeFlags.values().forEach(this::addWriteTarget);
    Set<String> names = new HashSet<>(replaced);
    names.removeAll(written);
    return names;
  }

  /**
   * An alias writes to the index with the flag {@code true}. Without one it writes to its only
   * index, unless the flag of that is {@code false}; an alias of several indices writes to none.
   */
  private void addWriteTarget(Map<String, String> flags) {
    if (flags.containsValue("true")) {
      flags.forEach((index, flag) -> {
        if (flag.equals("true")) {
          written.add(index);
        } else if (flag.equals("false")) {
          replaced.add(index);
        }
      });
    } else if (flags.size() == 1 && !flags.containsValue("false")) {
      written.addAll(flags.keySet());
    }
  }
}
