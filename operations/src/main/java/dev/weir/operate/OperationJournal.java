package dev.weir.operate;

import dev.weir.model.Sha256;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is known of an operation that has begun. It is written with each change that a repetition
 * needs to know of, so that any machine can go on from the last one.
 *
 * @param id of the operation
 * @param owner the command that carries it out; another one takes over with an owner of its own
 * @param kind what is done
 * @param startedAt when it began
 * @param batches names of nodes, those that are handled at once together
 * @param done how many batches are done
 * @param step the current one of the current batch; of a journal that was read, the last written
 * @param nodes what is remembered of the nodes of the current batch, by name
 * @param previousSettings the settings before the operation, by {@code persistent.KEY} or {@code
 *     transient.KEY}
 * @param zone whose weight is changed while the current batch is drained
 * @param commandSha256 of the text of the operator's command, in hex; empty for no command
 * @param options how it proceeds; they have no command
 */
public record OperationJournal(
    String id,
    String owner,
    OperationKind kind,
    Instant startedAt,
    List<List<String>> batches,
    int done,
    OperationStep step,
    Map<String, NodeRecord> nodes,
    Map<String, String> previousSettings,
    ZoneRecord zone,
    String commandSha256,
    OperationOptions options) {
  public OperationJournal {
    batches = batches.stream().map(List::copyOf).toList();
    nodes = Map.copyOf(nodes);
    previousSettings = Map.copyOf(previousSettings);
    options = options.withCommand("");
  }

  /** What a journal keeps of a command; empty for no command. */
  static String hash(String command) {
    return command.isEmpty() ? "" : Sha256.hex(command);
  }

  /** The names of the nodes that are handled now; none after the last batch. */
  List<String> batch() {
    return done < batches.size() ? batches.get(done) : List.of();
  }

  OperationJournal ownedBy(String newOwner) {
    return new OperationJournal(
        id,
        newOwner,
        kind,
        startedAt,
        batches,
        done,
        step,
        nodes,
        previousSettings,
        zone,
        commandSha256,
        options);
  }

  OperationJournal at(OperationStep newStep) {
    return with(done, newStep, nodes, zone);
  }

  OperationJournal withNodes(Map<String, NodeRecord> newNodes) {
    return with(done, step, newNodes, zone);
  }

  OperationJournal withNode(String name, NodeRecord node) {
    Map<String, NodeRecord> changed = new LinkedHashMap<>(nodes);
    changed.put(name, node);
    return withNodes(changed);
  }

  OperationJournal withZone(ZoneRecord newZone) {
    return with(done, step, nodes, newZone);
  }

  /** The next batch, from its first step. */
  OperationJournal next() {
    return with(done + 1, kind.steps().getFirst(), Map.of(), ZoneRecord.NONE);
  }

  private OperationJournal with(
      int newDone, OperationStep newStep, Map<String, NodeRecord> newNodes, ZoneRecord newZone) {
    return new OperationJournal(
        id,
        owner,
        kind,
        startedAt,
        batches,
        newDone,
        newStep,
        newNodes,
        previousSettings,
        newZone,
        commandSha256,
        options);
  }
}
