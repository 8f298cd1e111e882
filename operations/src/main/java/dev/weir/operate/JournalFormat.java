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

  /**
   * The version before. Its journals hold their owner, and each was written before the changes of
   * its step.
   */
  private static final long PREVIOUS = 3;

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
   * Returns whether the version of Weir before this one wrote a journal. A command of that version
   * may still run.
   */
  static boolean isPrevious(String text) throws OperationException {
    return (long) JsonObjects.parse(text).number("version") == PREVIOUS;
  }

  /**
   * Reads a journal of this version or the previous one, without its owner.
   *
   * @throws OperationException if another version of Weir wrote it, or something else
   */
  public static OperationJournal read(String text) throws OperationException {
    JsonTree tree = JsonObjects.parse(text);
    long version = (long) tree.number("version");
    if (version != VERSION && version != PREVIOUS) {
      throw new OperationException(
          "got version "
              + tree.text("version")
              + " of the journal (expected: "
              + PREVIOUS
              + " or "
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
      OperationKind kind = OperationKind.of(tree.text("operation"));
      String step = tree.text("step");
      OperationJournal journal =
          new OperationJournal(
              tree.text("id"),
              "",
              kind,
              Instant.parse(tree.text("started_at")),
              batches,
              (int) tree.number("done"),
              version == PREVIOUS ? previousStep(step, kind) : OperationStep.of(step),
              nodes(tree.child("nodes")),
              texts(tree.child("previous_settings")),
              new ZoneRecord(
                  tree.text("zone", "attribute"),
                  tree.text("zone", "value"),
                  texts(tree.child("zone", "previous_weights"))),
              tree.text("command_sha256"),
              options(tree.child("options")));
      return version == PREVIOUS ? withBegunByHand(journal) : journal;
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new OperationException("got a journal that can't be read: " + text, e);
    }
  }

  /**
   * The step whose repetition makes the changes that a step of the previous version may lack: this
   * version makes them together with the journal of the step, and does not repeat them.
   */
  private static OperationStep previousStep(String text, OperationKind kind)
      throws OperationException {
    return switch (text) {
      case "allocate-primaries" -> OperationStep.FLUSH;
      case "allocate-all" -> OperationStep.AWAIT_RETURN;
      case "restore" -> kind.restarts() ? OperationStep.AWAIT_GREEN : OperationStep.RESTORE;
      default -> OperationStep.of(text);
    };
  }

  /** The previous version did not write that it had asked for restarts by hand. */
  private static OperationJournal withBegunByHand(OperationJournal journal) {
    if (journal.step() != OperationStep.RUN_COMMAND || !journal.commandSha256().isEmpty()) {
      return journal;
    }
    Map<String, NodeRecord> nodes = new LinkedHashMap<>();
    journal.nodes().forEach((name, node) -> nodes.put(name, node.with(CommandState.BEGUN)));
    return journal.withNodes(nodes);
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
