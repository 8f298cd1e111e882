package dev.weir.cluster.bounds;

import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGenerationsQuestion;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.opensearch.core.index.shard.ShardId;

/**
 * Asks nodes whether searches may leave out copies, in one message to each node. Safe on any
 * thread; never blocks.
 *
 * <p><b>Why a search may skip a shard by its answer.</b> The search would have queried one copy of
 * the shard, and any active copy is a right choice. The question is sent after the search arrived.
 * In the answer, the copy names the reader that a search would use there at that moment: one
 * without a refresh still to come, under the mapping and settings that the copy uses. If no time in
 * that reader is in the search's range, the copy had found nothing. This is so if the reader is the
 * one whose times are known, because a reader never changes. It is also so if the reader is another
 * one whose times, in the same answer, miss the range too, and the mapping has not changed, by
 * which the range was parsed. Writes and refreshes after that moment are concurrent with the
 * search, which may find them or not, as on any node.
 *
 * <p>The gateway's view of the cluster plays no part in it, besides the choice of the copy: a copy
 * that has gone, or an index that is another one by now, has no answer.
 */
public final class CopyBoundsChecker {
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  private final NodeClients clients;
  private final CopyBoundsRegistry registry;
  private final LongAdder queryCount = new LongAdder();

  /**
   * A copy that a search wants to leave out.
   *
   * @param known its bounds when the search was planned
   * @param field the field by which it has no match
   * @param isMissedBy whether the search has no match within these bounds of that field
   */
  public record ExpectedCopy(CopyBounds known, String field, Predicate<DateBounds> isMissedBy) {}

  /** Creates a checker; {@code registry} gets the newer bounds that nodes answer. */
  public CopyBoundsChecker(NodeClients clients, CopyBoundsRegistry registry) {
    this.clients = clients;
    this.registry = registry;
  }

  /** Returns the number of questions sent. */
  public long queryCount() {
    return queryCount.sum();
  }

  /**
   * Calls {@code callback} once, on any thread, within a second: true if none of these copies has
   * had a match after this call.
   *
   * @param copiesByNode by node id
   */
  public void check(Map<String, List<ExpectedCopy>> copiesByNode, Consumer<Boolean> callback) {
    if (copiesByNode.isEmpty()) {
      callback.accept(true);
      return;
    }
    AtomicInteger open = new AtomicInteger(copiesByNode.size());
    AtomicBoolean isDone = new AtomicBoolean();
    copiesByNode.forEach((nodeId, copies) ->
        ask(
            nodeId,
            copies,
            confirmed -> {
              if ((!confirmed || open.decrementAndGet() == 0)
                  && isDone.compareAndSet(false, true)) {
                callback.accept(confirmed);
              }
            }));
  }

  private void ask(String nodeId, List<ExpectedCopy> copies, Consumer<Boolean> callback) {
    NodeClient client = clients.byId(nodeId);
    if (client == null || !client.isConnected()) {
      registry.removeNode(nodeId);
      callback.accept(false);
      return;
    }
    List<ShardId> shards = new ArrayList<>(copies.size());
    List<String> fields = new ArrayList<>();
    for (ExpectedCopy copy : copies) {
      shards.add(copy.known().shard());
      for (String field : copy.known().formats().keySet()) {
        if (!fields.contains(field)) {
          fields.add(field);
        }
      }
    }
    ReaderGenerationsQuestion question = new ReaderGenerationsQuestion(shards, fields);
    queryCount.increment();
    client.send(
        new NodeCall<>(
            ReaderGenerationsQuestion.ACTION,
            question,
            question::readAnswer,
            ChannelKind.CONTROL,
            Map.of(),
            TIMEOUT),
        Runnable::run,
        new ReplyHandler<Map<ShardId, CopyReader>>() {
          @Override
          public void onReply(Map<ShardId, CopyReader> reply, ReplyFrame frame) {
            boolean all = true;
            for (ExpectedCopy copy : copies) {
              all &= confirms(copy, reply, fields);
            }
            callback.accept(all);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            registry.removeNode(nodeId); // not asked again before it has answered the learner
            callback.accept(false);
          }
        });
  }

  /** Returns whether a copy has no match; keeps its newer bounds. */
  private boolean confirms(ExpectedCopy copy, Map<ShardId, CopyReader> reply, List<String> fields) {
    CopyBounds known = copy.known();
    CopyReader answer = reply.get(known.shard());
    if (answer == null) {
      registry.remove(known);
      return false;
    }
    if (answer.generation().equals(known.generation())) {
      return true;
    }
    if (answer.generation().mappingVersion() != known.generation().mappingVersion()) {
      registry.remove(known); // the formats may be others
      return false;
    }
    CopyBounds now = CopyBounds.of(known.shard(), known.nodeId(), answer, fields, known.formats());
    if (now.fields().isEmpty()) {
      registry.remove(known); // without values; the learner reads the copy again
      return false;
    }
    registry.replace(known, now);
    DateBounds bounds = now.fields().get(copy.field());
    return bounds != null && copy.isMissedBy().test(bounds);
  }
}
