package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.model.JsonTextWriter;
import dev.weir.operate.NodeRecord.CommandState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Journals as JSON, as the cluster's settings keep them. Any client that may change settings may
 * write one, so a journal has no text that a shell would run.
 */
public final class JournalFormat {
  /** The setting of the cluster that holds the journal. */
  public static final String SETTING = "cluster.metadata.weir.operation";

  /** The setting of the cluster that holds the owner of the operation. */
  static final String OWNER = SETTING + "-owner";

  private static final long VERSION = 4;

  private JournalFormat() {}

  /** The journal as a tree for admin pages. */
  public static Map<String, Object> toMap(OperationJournal journal) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("version", VERSION);
    tree.put("id", journal.id());
    tree.put("operation", journal.kind().text());
    tree.put("started_at", journal.startedAt().toString());
    tree.put("batches", journal.batches());
    tree.put("done", journal.done());
    tree.put("step", journal.step().text());
    Map<String, Object> nodes = new LinkedHashMap<>();
    journal
        .nodes()
        .forEach((name, node) ->
            nodes.put(
                name,
                Map.of(
                    "weight",
                    node.weight(),
                    "ephemeral_id",
                    node.ephemeralId(),
                    "command",
                    node.command().name().toLowerCase(Locale.ROOT))));
    tree.put("nodes", nodes);
    tree.put("previous_settings", journal.previousSettings());
    ZoneRecord zone = journal.zone();
    tree.put(
        "zone",
        Map.of(
            "attribute",
            zone.attribute(),
            "value",
            zone.value(),
            "previous_weights",
            zone.previousWeights()));
    tree.put("command_sha256", journal.commandSha256());
    OperationOptions options = journal.options();
    Map<String, Object> how = new LinkedHashMap<>();
    how.put("drain_timeout", options.drainTimeout().toString());
    how.put("return_timeout", options.returnTimeout().toString());
    how.put("green_timeout", options.greenTimeout().toString());
    how.put("ramp", options.ramp().toString());
    how.put("max_p99_ratio", options.maxP99Ratio());
    how.put("zone_weights", options.usesZoneWeights());
    tree.put("options", how);
    return tree;
  }

  static String write(OperationJournal journal) {
    return new JsonTextWriter(JsonTextWriter.Layout.COMPACT).tree(toMap(journal)).finish();
  }

  /**
   * Reads a journal, without its owner.
   *
   * @throws OperationException if another version of Weir wrote it, or something else
   */
  public static OperationJournal read(String text) throws OperationException {
    JsonTree tree = JsonObjects.parse(text);
    if ((long) tree.number("version") != VERSION) {
      throw new OperationException(
          "got version "
              + tree.text("version")
              + " of the journal (expected: "
              + VERSION
              + "): resume or abort the operation with the version of Weir that began it");
    }
    List<List<String>> batches = new ArrayList<>();
    for (Object batch : tree.items("batches")) {
      batches.add(
          batch instanceof List<?> names
              ? names.stream().map(String::valueOf).toList()
              : List.of());
    }
    try {
      return new OperationJournal(
          tree.text("id"),
          "",
          OperationKind.of(tree.text("operation")),
          Instant.parse(tree.text("started_at")),
          batches,
          (int) tree.number("done"),
          OperationStep.of(tree.text("step")),
          nodes(tree.child("nodes")),
          texts(tree.child("previous_settings")),
          new ZoneRecord(
              tree.text("zone", "attribute"),
              tree.text("zone", "value"),
              texts(tree.child("zone", "previous_weights"))),
          tree.text("command_sha256"),
          options(tree.child("options")));
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new OperationException("got a journal that can't be read: " + text, e);
    }
  }

  private static Map<String, NodeRecord> nodes(JsonTree tree) {
    Map<String, NodeRecord> nodes = new LinkedHashMap<>();
    for (String name : tree.members().keySet()) {
      JsonTree node = tree.child(name);
      nodes.put(
          name,
          new NodeRecord(
              node.number("weight"),
              node.text("ephemeral_id"),
              CommandState.valueOf(node.text("command").toUpperCase(Locale.ROOT))));
    }
    return nodes;
  }

  private static Map<String, String> texts(JsonTree tree) {
    Map<String, String> texts = new LinkedHashMap<>();
    tree.members().forEach((key, value) -> texts.put(key, value.toString()));
    return texts;
  }

  private static OperationOptions options(JsonTree tree) {
    return new OperationOptions(
        "",
        Duration.parse(tree.text("drain_timeout")),
        Duration.parse(tree.text("return_timeout")),
        Duration.parse(tree.text("green_timeout")),
        Duration.parse(tree.text("ramp")),
        tree.number("max_p99_ratio"),
        Boolean.parseBoolean(tree.text("zone_weights")));
  }
}
