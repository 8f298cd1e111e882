package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import dev.weir.core.coordinate.batch.BatchReply.Beginnings;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.IgnoredReply;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.opensearch.transport.SendRequestTransportException;
import org.opensearch.transport.TransportRequest;

/**
 * The calls of one message to a node, until each has its outcome. The node answers when all are
 * done, or with the results that are there when they are large or one has waited for long enough;
 * then the batch asks for the others. Confined to the event loop of its request, but for writing
 * and reading.
 */
final class NodeBatch implements ReplyHandler<BatchReply>, BatchMessage, UnsentMessage {
  /** The plugin's actions, {@code ShardBatchService}. */
  static final String ACTION = "indices:data/read/search[weir/batch]";

  /** The same, with results of which the node may leave out hits by score. */
  static final String REDUCED_ACTION = "indices:data/read/search[weir/batch/reduced]";

  /** The same, with results of which the node may reduce more. */
  static final String MERGED_ACTION = "indices:data/read/search[weir/batch/merged]";

  static final String NEXT_ACTION = "indices:data/read/search[weir/batch/next]";

  /** From this size on the results of one response go on in the next one. */
  private static final int MAX_RESPONSE_BYTES = 4 << 20;

  /** What does not fit into one message follows in another one. */
  private static final int MAX_REQUEST_BYTES = 8 << 20;

  /** About what a request takes. */
  private static final int CALL_BYTES = 1 << 10;

  /**
   * The first array for all requests, at most: below this size OpenSearch's streams grow by an
   * eighth at a time, with a copy of all that was written, and above by pages.
   */
  private static final int PAGE_BYTES = 16 << 10;

  private static final byte[] NOTHING = {};

  private final NodeClient node;
  private final Executor executor;
  private final Limits limits;
  private final List<BatchEntry<?>> entries = new ArrayList<>();

  /** The calls in the message, in its order; set when it is written. */
  private volatile List<BatchEntry<?>> sent = List.of();

  /** What the node may leave out of the results; null for nothing. Set before it is sent. */
  private volatile @Nullable PartialReduction reduction;

  /** The parts of the reduction that the node can do. Set before it is sent. */
  private volatile Set<PartialReduction.Part> parts = Set.of();

  private @Nullable PendingCall pending;
  private @Nullable FrameBudget budget;
  private boolean wantsLoadReport;
  private boolean isStarted;
  private boolean isEnded;

  /**
   * The calls that did not fit, until those of this message have their outcomes: both messages
   * together would run more at a time than the search allows. Null for none.
   */
  private @Nullable NodeBatch following;

  /** The node's name of the batch while it has more results; null for none. */
  private @Nullable Long keptId;

  /**
   * What the node observes with a message.
   *
   * @param waitMillis how long the first result waits on the node for others; 0 to wait for all
   * @param maxRunning how many calls it carries out at a time, in their order; 0 for all
   * @param reducible the parts of results of queries that it can reduce
   */
  record Limits(int waitMillis, int maxRunning, Set<PartialReduction.Part> reducible) {
    /** Carries out all, and waits for all. */
    static final Limits NONE = new Limits(0, 0, Set.of());

    Limits withoutReduction() {
      return new Limits(waitMillis, maxRunning, Set.of());
    }
  }

  /** Starts without calls. */
  NodeBatch(NodeClient node, Executor executor, Limits limits) {
    this.node = node;
    this.executor = executor;
    this.limits = limits;
  }

  @Override
  public String nodeId() {
    return node.endpoint().id();
  }

  /** Returns the number of calls. */
  int size() {
    return entries.size();
  }

  @Override
  public <R> PendingCall add(NodeCall<R> call, ReplyHandler<R> handler) {
    BatchEntry<R> entry = new BatchEntry<>(this, call, handler);
    entries.add(entry);
    if (budget == null) { // a call whose reply is ignored has none
      budget = handler.budget();
    }
    wantsLoadReport |= handler.wantsLoadReport();
    return entry;
  }

  /** Adds a call whose outcome nobody needs. */
  <R> void addIgnored(NodeCall<R> call) {
    add(call, IgnoredReply.deferrable());
  }

  /** Sends the message. */
  void send() {
    entries.removeIf(entry -> !entry.isWanted());
    if (entries.size() < 2) {
      entries.forEach(entry -> entry.sendAlone(node, executor));
      return;
    }
    pending = node.send(call(chooseAction(), this::write), executor, this);
  }

  /** Returns the action by what the node can reduce of what the search allows. */
  private String chooseAction() {
    PartialReduction common = commonReduction(entries);
    Set<PartialReduction.Part> usable =
        common == null ? Set.of() : common.partsOf(limits.reducible());
    parts = usable;
    reduction = usable.isEmpty() ? null : common;
    return usable.isEmpty()
        ? ACTION
        : PartialReduction.isPlain(usable) ? REDUCED_ACTION : MERGED_ACTION;
  }

  private NodeCall<BatchReply> call(String action, Writeable payload) {
    return new NodeCall<>(
        action,
        payload,
        in -> BatchReply.read(in, sent),
        ChannelKind.READ,
        entries.getFirst().call().headers(),
        Duration.ZERO);
  }

  /** Returns the reduction of the search that all calls belong to; null if there is none. */
  private static @Nullable PartialReduction commonReduction(List<BatchEntry<?>> entries) {
    PartialReduction common = null;
    for (BatchEntry<?> entry : entries) {
      if (!(entry.call().payload() instanceof ReducibleQuery query)
          || (common != null && !common.equals(query.reduction()))) {
        return null;
      }
      common = query.reduction();
    }
    return common;
  }

  /**
   * Writes the plugin's {@code ShardBatchRequest}, with limits if results are to be reduced. A call
   * that can't be written is left out.
   */
  private void write(StreamOutput out) throws IOException {
    List<BatchEntry<?>> written = new ArrayList<>(entries.size());
    List<BytesReference> payloads = new ArrayList<>(entries.size());
    BytesStreamOutput payload =
        new BytesStreamOutput(Math.min(CALL_BYTES * entries.size(), PAGE_BYTES));
    payload.setVersion(out.getVersion());
    List<Integer> ends = new ArrayList<>(entries.size());
    List<BatchEntry<?>> rest = new ArrayList<>();
    for (BatchEntry<?> entry : entries) {
      if (!entry.isWanted()) {
        continue; // its bytes may be reused
      }
      if (payload.position() > MAX_REQUEST_BYTES) {
        rest.add(entry);
        continue;
      }
      long start = payload.position();
      try {
        entry.call().payload().writeTo(payload);
      } catch (IOException | RuntimeException unwritable) {
        payload.seek(start);
        executor.execute(() -> entry.fail(unsendable(entry, unwritable)));
        continue;
      }
      written.add(entry);
      ends.add((int) payload.position());
    }
    BytesReference all = payload.bytes();
    int start = 0;
    for (int end : ends) {
      payloads.add(all.slice(start, end - start));
      start = end;
    }
    sent = written;
    if (!rest.isEmpty()) {
      executor.execute(() -> follow(rest));
    }
    commonParent(written).writeTo(out);
    out.writeVInt(MAX_RESPONSE_BYTES);
    out.writeVInt(limits.waitMillis());
    out.writeVInt(limits.maxRunning());
    PartialReduction reduced = reduction;
    if (reduced != null) {
      reduced.write(out, parts);
    }
    out.writeVInt(written.size());
    for (int i = 0; i < written.size(); i++) {
      out.writeString(written.get(i).call().action());
      out.writeBytesReference(payloads.get(i));
      if (reduced != null && written.get(i).call().payload() instanceof ReducibleQuery query) {
        out.writeVInt(query.shardIndex());
      }
    }
  }

  private void follow(List<BatchEntry<?>> rest) {
    entries.removeAll(rest);
    NodeBatch next = new NodeBatch(node, executor, limits);
    rest.forEach(entry -> entry.moveTo(next));
    following = next;
    if (isEnded) {
      end();
    }
  }

  /** Nothing of this message is left to wait for: sends what did not fit. */
  private void end() {
    isEnded = true;
    NodeBatch next = following;
    if (next != null) {
      following = null;
      next.send();
    }
  }

  private NodeCallException unsendable(BatchEntry<?> entry, Exception cause) {
    return new NodeCallException(
        NodeCallException.Kind.NOT_SENT,
        nodeId(),
        new SendRequestTransportException(null, entry.call().action(), cause));
  }

  /**
   * The parent of all calls that have one: with it the message waits no more once it is cancelled.
   */
  static TaskId commonParent(List<BatchEntry<?>> entries) {
    TaskId common = TaskId.EMPTY_TASK_ID;
    for (BatchEntry<?> entry : entries) {
      if (entry.call().payload() instanceof TransportRequest request
          && request.getParentTask().isSet()) {
        if (common.isSet() && !common.equals(request.getParentTask())) {
          return TaskId.EMPTY_TASK_ID;
        }
        common = request.getParentTask();
      }
    }
    return common;
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
      end();
    }
  }

  @Override
  public @Nullable FrameBudget budget() {
    return budget;
  }

  /** Returns true if the handler of one of the calls does: all of them get the report. */
  @Override
  public boolean wantsLoadReport() {
    return wantsLoadReport;
  }

  @Override
  public void onReply(BatchReply reply, ReplyFrame frame) {
    isStarted = true;
    pending = null;
    keptId = null;
    if (reply.more()) {
      askForMore(reply.batchId(), reply.results().stream().map(EntryResult::entry).toList());
    }
    boolean isComplete = reply.isGroupUsed();
    RepeatedQueries repeated = new RepeatedQueries(node, executor, limits);
    Throwable thrown = null;
    for (EntryResult<?> result : reply.results()) {
      if (isComplete || !result.isPartial() || !result.isUsed()) {
        thrown = Outcomes.run(() -> result.complete(frame), thrown);
      } else {
        thrown = Outcomes.run(() -> repeat(result, repeated), thrown);
      }
    }
    thrown = Outcomes.run(repeated::send, thrown);
    recordLeftOut(reply, isComplete);
    if (!reply.more()) {
      for (BatchEntry<?> entry : sent) {
        thrown = Outcomes.run(() -> failMissing(entry), thrown);
      }
    }
    if (pending == null) {
      thrown = Outcomes.run(this::end, thrown);
    }
    Outcomes.rethrow(thrown);
  }

  private void repeat(EntryResult<?> result, RepeatedQueries repeated) {
    PartialReduction reduced = reduction;
    if (reduced != null) {
      reduced.counts().recordRepeatedQuery();
    }
    repeated.add(result);
  }

  private void recordLeftOut(BatchReply reply, boolean isComplete) {
    PartialReduction reduced = reduction;
    if (reduced == null) {
      return;
    }
    int merged = 0;
    for (EntryResult<?> result : reply.results()) {
      if (isComplete) {
        reduced.counts().recordHits(result.leftOutHits());
        merged += result.isMerged() ? 1 : 0;
      }
    }
    reduced.counts().recordAggregations(Math.max(0, merged - 1)); // one result has those of all
  }

  private static void failMissing(BatchEntry<?> entry) {
    if (entry.isWanted()) {
      entry.fail(entry.malformed(new IOException("got no result (expected: one of each request)")));
    }
  }

  /** Asks for the next part, unless nobody waits for it: then the node may drop it. */
  private void askForMore(long batchId, List<? extends BatchEntry<?>> answered) {
    long wanted = entries.stream().filter(BatchEntry::isWanted).count();
    long here = answered.stream().filter(BatchEntry::isWanted).count();
    if (wanted > here) {
      keptId = batchId;
      pending = node.send(call(NEXT_ACTION, out -> writeNext(out, batchId, true)), executor, this);
    } else {
      dropRest(batchId);
    }
  }

  /** Tells the node that nobody waits for the other results. */
  private void dropRest(long batchId) {
    node.send(
        new NodeCall<Object>(
            NEXT_ACTION,
            out -> writeNext(out, batchId, false),
            in -> TransportResponse.Empty.INSTANCE,
            ChannelKind.READ,
            entries.getFirst().call().headers(),
            Duration.ZERO),
        executor,
        IgnoredReply.prompt());
  }

  /**
   * Writes the plugin's {@code NextShardResultsRequest}. Only one that waits is cancelled with the
   * search: a node may refuse tasks of a cancelled search, but has to drop its results.
   */
  private void writeNext(StreamOutput out, long batchId, boolean wanted) throws IOException {
    (wanted ? commonParent(sent) : TaskId.EMPTY_TASK_ID).writeTo(out);
    out.writeLong(batchId);
    out.writeBoolean(wanted);
  }

  @Override
  public void onFailure(NodeCallException failure) {
    pending = null;
    if (!isStarted && isUnknownToNode(failure)) {
      entries.forEach(entry -> entry.sendAlone(node, executor));
      end();
      return;
    }
    if (failure.kind() == NodeCallException.Kind.OVER_BUDGET) {
      failUnread(failure, Beginnings.ofPrefix(failure.payloadPrefix()));
      return;
    }
    if (keptId != null) {
      dropRest(keptId); // in case the node has it still
      keptId = null;
    }
    Throwable thrown = null;
    for (BatchEntry<?> entry : entries) {
      thrown = Outcomes.run(() -> entry.fail(failure), thrown);
    }
    thrown = Outcomes.run(this::end, thrown);
    Outcomes.rethrow(thrown);
  }

  /**
   * Fails the calls after a response that was not read for lack of memory: each with the beginning
   * of its own result, which shows the search context that it leaves open. If results follow, those
   * whose beginning is known fail alone, and the others are asked for.
   */
  private void failUnread(NodeCallException refused, Beginnings read) {
    List<BatchEntry<?>> unread = new ArrayList<>();
    boolean more = read.more() && !read.byPlace().isEmpty();
    for (int place = 0; place < sent.size(); place++) {
      if (!more || read.byPlace().containsKey(place)) {
        unread.add(sent.get(place));
      }
    }
    isStarted = true;
    keptId = null;
    if (more) {
      askForMore(read.batchId(), unread);
    } else if (read.more()) {
      dropRest(read.batchId());
    }
    Throwable thrown = null;
    for (BatchEntry<?> entry : unread) {
      byte[] beginning = read.byPlace().getOrDefault(sent.indexOf(entry), NOTHING);
      NodeCallException own =
          new NodeCallException(refused.kind(), nodeId(), refused.exception(), beginning);
      thrown = Outcomes.run(() -> entry.fail(own), thrown);
    }
    if (pending == null) {
      thrown = Outcomes.run(this::end, thrown);
    }
    Outcomes.rethrow(thrown);
  }

  /** Whether the node was started again without the plugin, and has executed nothing. */
  static boolean isUnknownToNode(NodeCallException failure) {
    return failure.kind() == NodeCallException.Kind.REMOTE
        && ExceptionsHelper.unwrap(failure.exception(), ActionNotFoundTransportException.class)
            != null;
  }
}
