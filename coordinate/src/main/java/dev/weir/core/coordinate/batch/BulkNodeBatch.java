package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import dev.weir.core.coordinate.batch.BulkBatchReply.Beginning;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.IgnoredReply;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.RemoteTransportException;

/**
 * The parts of a bulk in one message to a node, until each has its outcome. The node answers when
 * all are done, or with the results that are there when one has waited for long enough; then the
 * batch asks for the others.
 *
 * <p>No part is sent a second time from here, except if the node does not know the message. Each
 * part gets the failure that it would have got alone: what fails after the first response leaves
 * the outcome of the other parts unknown, as a lost connection does, because the node has begun all
 * of them. Confined to the event loop of its request, but for writing and reading.
 */
final class BulkNodeBatch implements ReplyHandler<BulkBatchReply>, BatchMessage {
  /** The plugin's actions, {@code BulkBatchService}. */
  static final String ACTION = "indices:data/write/bulk[weir/batch]";

  static final String NEXT_ACTION = "indices:data/write/bulk[weir/batch/next]";

  /** From this size on the results of one response go on in the next one. */
  private static final int MAX_RESPONSE_BYTES = 1 << 20;

  /**
   * The shortest time that a result waits on the node for others: the client waits for all of them
   * anyway.
   */
  private static final int MIN_WAIT_MILLIS = 50;

  private final NodeClient node;
  private final Executor executor;
  private final List<BatchEntry<?>> entries = new ArrayList<>();

  /** The parts in the message, in its order; set when it is written. */
  private volatile List<BatchEntry<?>> sent = List.of();

  private @Nullable PendingCall pending;
  private @Nullable FrameBudget budget;
  private boolean wantsLoadReport;

  /** Whether the node has answered, so that it has begun all parts. */
  private boolean isStarted;

  /** The node's name of the batch while the node is asked for more results; null otherwise. */
  private @Nullable Long askedId;

  /** Starts without parts. */
  BulkNodeBatch(NodeClient node, Executor executor) {
    this.node = node;
    this.executor = executor;
  }

  @Override
  public String nodeId() {
    return node.endpoint().id();
  }

  /** Adds a part before the message is sent. */
  <R> PendingCall add(NodeCall<R> part, ReplyHandler<R> handler) {
    BatchEntry<R> entry = new BatchEntry<>(this, part, handler);
    entries.add(entry);
    if (budget == null) { // a call whose reply is ignored has none
      budget = handler.budget();
    }
    wantsLoadReport |= handler.wantsLoadReport();
    return entry;
  }

  /** Sends the message; a part that is alone goes as it is. */
  void send() {
    entries.removeIf(entry -> !entry.isWanted());
    if (entries.size() < 2) {
      entries.forEach(entry -> entry.sendAlone(node, executor));
      return;
    }
    NodeCall<?> one = entries.getFirst().call();
    pending =
        node.send(
            new NodeCall<>(
                ACTION,
                this::write,
                in -> BulkBatchReply.read(in, sent),
                ChannelKind.BULK,
                one.headers(),
                Duration.ZERO),
            executor,
            this);
  }

  /**
   * Writes the plugin's {@code BulkBatchRequest}: the parts' documents go to the frame as they are.
   */
  private void write(StreamOutput out) throws IOException {
    List<BatchEntry<?>> written = entries.stream().filter(BatchEntry::isWanted).toList();
    NodeBatch.commonParent(written).writeTo(out);
    out.writeVInt(MAX_RESPONSE_BYTES);
    out.writeVInt(MIN_WAIT_MILLIS);
    for (BatchEntry<?> entry : written) {
      out.writeBoolean(true);
      entry.call().payload().writeTo(out);
    }
    out.writeBoolean(false);
    sent = written;
  }

  @Override
  public boolean isWritten() {
    PendingCall call = pending;
    return isStarted || (call != null && call.isWritten());
  }

  @Override
  public void onAbandoned() {
    PendingCall call = pending;
    if (call != null && entries.stream().noneMatch(BatchEntry::isWanted)) {
      pending = null;
      call.abandon();
    }
  }

  @Override
  public @Nullable FrameBudget budget() {
    return budget;
  }

  /** Returns true if the handler of one of the parts does: all of them get the report. */
  @Override
  public boolean wantsLoadReport() {
    return wantsLoadReport;
  }

  @Override
  public void onReply(BulkBatchReply reply, ReplyFrame frame) {
    isStarted = true;
    pending = null;
    askedId = null;
    Beginning beginning = reply.beginning();
    if (beginning.more()) {
      askForMore(beginning);
    }
    Throwable thrown = null;
    for (EntryResult<?> result : reply.results()) {
      thrown = Outcomes.run(() -> result.complete(frame), thrown);
    }
    if (!beginning.more()) {
      thrown = failEach(BulkNodeBatch::withoutResult, entry -> true, thrown);
    }
    Outcomes.rethrow(thrown);
  }

  private static NodeCallException withoutResult(BatchEntry<?> entry) {
    return entry.malformed(new IOException("got no result (expected: one of each part)"));
  }

  /** What each part fails with. */
  private interface PartFailure {
    NodeCallException of(BatchEntry<?> entry);
  }

  /** Fails the parts that somebody waits for, even if one throws. */
  private @Nullable Throwable failEach(
      PartFailure failure, Predicate<BatchEntry<?>> which, @Nullable Throwable before) {
    Throwable thrown = before;
    for (BatchEntry<?> entry : entries) {
      if (entry.isWanted() && which.test(entry)) {
        thrown = Outcomes.run(() -> entry.fail(failure.of(entry)), thrown);
      }
    }
    return thrown;
  }

  /** Asks for the other results, unless nobody waits for them: then the node may drop them. */
  private void askForMore(Beginning answered) {
    Set<BatchEntry<?>> here = new HashSet<>();
    answered.places().forEach(place -> here.add(sent.get(place)));
    long batchId = answered.batchId();
    if (entries.stream().anyMatch(entry -> entry.isWanted() && !here.contains(entry))) {
      askedId = batchId;
      ask(batchId, ChannelKind.READ);
    } else {
      node.send(
          next(batchId, false, in -> TransportResponse.Empty.INSTANCE, ChannelKind.READ),
          executor,
          IgnoredReply.prompt());
    }
  }

  private void ask(long batchId, ChannelKind connection) {
    pending =
        node.send(
            next(batchId, true, in -> BulkBatchReply.read(in, sent), connection), executor, this);
  }

  /**
   * Creates the plugin's {@code NextResultsRequest}. It goes by the connection of small messages,
   * so that it does not wait behind other bulks.
   */
  private <R> NodeCall<R> next(
      long batchId, boolean wanted, Writeable.Reader<R> reader, ChannelKind connection) {
    return new NodeCall<>(
        NEXT_ACTION,
        out -> {
          NodeBatch.commonParent(sent).writeTo(out);
          out.writeLong(batchId);
          out.writeBoolean(wanted);
        },
        reader,
        connection,
        entries.getFirst().call().headers(),
        Duration.ZERO);
  }

  @Override
  public void onFailure(NodeCallException failure) {
    pending = null;
    Long asked = askedId;
    askedId = null;
    if (asked != null && failure.kind() == Kind.NOT_SENT) {
      ask(asked, ChannelKind.BULK); // the node keeps the results; the parts' connection may be open
      return;
    }
    if (failure.kind() == Kind.OVER_BUDGET) {
      failUnread(failure);
    } else if (isStarted) {
      NodeCallException unknown = failure.kind() == Kind.MALFORMED ? failure : lost(failure);
      Outcomes.rethrow(failEach(entry -> unknown, entry -> true, null));
    } else if (NodeBatch.isUnknownToNode(failure)) {
      entries.forEach(entry -> entry.sendAlone(node, executor));
    } else {
      NodeCallException own = ofPart(failure);
      Outcomes.rethrow(failEach(entry -> own, entry -> true, null));
    }
  }

  /** Creates the failure of a part that the node has begun, and whose result does not come. */
  private NodeCallException lost(NodeCallException failure) {
    return new NodeCallException(Kind.CONNECTION_LOST, nodeId(), failure.exception());
  }

  /**
   * Fails the parts whose results came and were not read for lack of memory, and asks for the
   * others. If it is not known which came, all fail so: it may be any.
   */
  private void failUnread(NodeCallException refused) {
    Beginning read = Beginning.ofPrefix(refused.payloadPrefix(), sent.size());
    isStarted = true;
    if (read.more()) {
      askForMore(read);
    }
    Set<BatchEntry<?>> here = new HashSet<>();
    read.places().forEach(place -> here.add(sent.get(place)));
    Outcomes.rethrow(
        failEach(entry -> refused, entry -> !read.more() || here.contains(entry), null));
  }

  /**
   * Returns what a part alone would have failed with. The node's breaker for incoming requests
   * names the action that it refused; {@code WriteFailureClassifier} looks for that name.
   */
  private NodeCallException ofPart(NodeCallException failure) {
    if (failure.kind() != Kind.REMOTE
        || !(ExceptionsHelper.unwrapCause(failure.exception())
            instanceof CircuitBreakingException refusal)) {
      return failure;
    }
    return new NodeCallException(
        Kind.REMOTE,
        nodeId(),
        new RemoteTransportException(
            nameOfPart(failure),
            new CircuitBreakingException(
                nameOfPart(refusal),
                refusal.getBytesWanted(),
                refusal.getByteLimit(),
                refusal.getDurability())));
  }

  private static String nameOfPart(Exception in) {
    return String.valueOf(in.getMessage()).replace(ACTION, TransportShardBulkAction.ACTION_NAME);
  }
}
