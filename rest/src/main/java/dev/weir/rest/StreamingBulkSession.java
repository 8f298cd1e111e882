package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.SectionedBody;
import dev.weir.protocol.RequestFrameBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestChannel;

/**
 * One bulk that is carried out while it comes, section by section, each as a bulk of its own.
 *
 * <p>The first section goes alone: until it has been carried out nothing more is read, so that what
 * it comes to may still be the outcome of all: it passes through to a node, or is refused. After
 * that as many are under way as the body's window has room for; but of two that may concern the
 * same document the second waits for the first, and one for which there is no memory waits for
 * those before it, and beyond that for other requests, {@link #MAX_MEMORY_WAIT} long. A section
 * that fails as a whole is answered item by item.
 *
 * <p>What can't be read, or answered, ends it: no later item is sent, and the client is told how
 * many were carried out, with their answers. Confined to the exchange's home.
 */
final class StreamingBulkSession implements SectionedBody.Listener {
  /** For how long a section waits for memory that other requests hold. */
  static final Duration MAX_MEMORY_WAIT = Duration.ofSeconds(30);

  /** After so long it asks again. */
  static final Duration MEMORY_RETRY_INTERVAL = Duration.ofMillis(50);

  private static final long MAX_MEMORY_RETRIES = MAX_MEMORY_WAIT.dividedBy(MEMORY_RETRY_INTERVAL);

  /** Under way at once, however short they are: each is a bulk of its own to the nodes. */
  private static final int MAX_SECTIONS_IN_FLIGHT = 8;

  private final RestExchange exchange;
  private final RestChannel channel;
  private final GatewayNodeClient client;
  private final BulkRequestReader requestReader;
  private final StreamingBulkCounts counts;
  private final StreamingBulkResponse response;
  private final List<BulkSection> sectionsInFlight = new ArrayList<>(4);
  private final long startedNanos;
  private @Nullable SectionedBody body;
  private @Nullable RequestContext context;
  private @Nullable BulkSection waitingSection;
  private @Nullable Exception abortCause;
  private int sections;
  private int memoryRetries;
  private boolean awaitingSection;
  private long lines;
  private boolean complete;
  private boolean clientGone;
  private boolean ended;

  StreamingBulkSession(
      RestExchange exchange,
      RestChannel channel,
      GatewayNodeClient client,
      BulkRequestReader reading,
      StreamingBulkCounts counts) {
    this.exchange = exchange;
    this.channel = channel;
    this.client = client;
    this.requestReader = reading;
    this.counts = counts;
    this.response = new StreamingBulkResponse(exchange.http().memory(), channel.request());
    this.startedNanos = counts.nanoTime();
  }

  /** Carries the first section out, which was read. */
  void start(SectionedBody from, BulkSection first) {
    body = from;
    RequestContext whole = client.startBulk(exchange);
    context = whole;
    whole.onCancel(() ->
        List.copyOf(sectionsInFlight)
            .forEach(section -> section.cancel(String.valueOf(whole.cancelReason()))));
    exchange.onEnd(this::releaseAll);
    Exception invalid = first.bulk().validate();
    MemoryRejection refused = invalid == null ? response.reserve(first.items(), false) : null;
    if (refused != null) {
      exchange.memory().recordRejection(refused);
      invalid = RequestFrameBudget.exception(refused);
    }
    if (invalid != null) {
      reject(invalid);
      return;
    }
    sections = 1;
    lines = first.lines();
    execute(first, new FirstSectionListener(first));
  }

  private void execute(BulkSection section, ActionListener<BulkResponse> outcome) {
    sectionsInFlight.add(section);
    client.executePart(
        BulkAction.INSTANCE, section.bulk(), section.start(requireContext()), outcome);
  }

  private RequestContext requireContext() {
    return Objects.requireNonNull(context, "got no context (expected: begun)");
  }

  // What the first section comes to.

  /** Receives the outcome of the first section. */
  private final class FirstSectionListener implements ActionListener<BulkResponse> {
    private final BulkSection section;

    FirstSectionListener(BulkSection section) {
      this.section = section;
    }

    @Override
    public void onResponse(BulkResponse response) {
      runUnlessEnded(
          section,
          () -> {
            counts.recordBulk();
            onSectionAnswered(section, response);
            SectionedBody from = Objects.requireNonNull(body);
            from.start(StreamingBulkSession.this);
            from.requestNext();
          });
    }

    @Override
    public void onFailure(Exception failure) {
      runUnlessEnded(
          section,
          () -> {
            sectionsInFlight.remove(section);
            section.addTruncationWarnings(requireContext());
            section.abandon();
            String reason = PassThroughClassifier.passThroughReason(failure);
            if (reason == null) {
              reject(failure);
            } else {
              ended = true;
              exchange.passThrough(reason);
            }
          });
    }
  }

  /** Nothing was carried out: the whole bulk failed. */
  private void reject(Exception why) {
    ended = true;
    exchange.takeNodeHeaders();
    try {
      channel.sendResponse(new BytesRestResponse(channel, why));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // What comes after it.

  @Override
  public void onSection(SectionedBody.Section section) {
    BulkSection come = new BulkSection(exchange.memory(), section, sections++);
    if (exchange.isClosed()) {
      come.abandon();
      return;
    }
    exchange.run(() -> {
      waitingSection = come;
      executeWaiting();
    });
  }

  /** Carries out what waits, if it may go. */
  private void executeWaiting() {
    BulkSection next = waitingSection;
    if (next == null || abortCause != null || clientGone || !hasMemory(next) || !isReadable(next)) {
      return;
    }
    for (BulkSection before : sectionsInFlight) {
      if (before.sharesDocumentsWith(next)) {
        return;
      }
    }
    waitingSection = null;
    lines += next.lines();
    if (next.bulk().numberOfActions() == 0) {
      next.complete();
    } else {
      execute(next, new LaterSectionListener(next, false));
    }
    awaitingSection = true;
    requestNextSection();
  }

  /** Lets the next section come, unless as many are under way as may. */
  private void requestNextSection() {
    if (awaitingSection && sectionsInFlight.size() < MAX_SECTIONS_IN_FLIGHT) {
      awaitingSection = false;
      Objects.requireNonNull(body).requestNext();
    }
  }

  /** Whether its items and their answers are paid for. */
  private boolean hasMemory(BulkSection next) {
    MemoryRejection refused = next.isMemoryReserved() ? null : reserveMemory(next, true);
    if (refused == null) {
      memoryRetries = 0;
      return true;
    }
    if (!sectionsInFlight.isEmpty()) {
      return false; // goes on when one of these has been carried out
    }
    boolean late = requireContext().deadline().hasPassed(counts.nanoTime());
    if (!refused.permanent() && !late && memoryRetries < MAX_MEMORY_RETRIES) {
      memoryRetries++;
      Objects.requireNonNull(body).schedule(MEMORY_RETRY_INTERVAL, this::retryMemory);
      return false;
    }
    refused = reserveMemory(next, false);
    if (refused != null) {
      abort(new OpenSearchStatusException(refused.message(), RestStatus.REQUEST_ENTITY_TOO_LARGE));
    }
    return refused == null;
  }

  private void retryMemory() {
    if (!exchange.isClosed()) {
      exchange.run(this::executeWaiting);
    }
  }

  /** Reserves memory for both or for neither, so that a waiting bulk holds none. */
  private @Nullable MemoryRejection reserveMemory(BulkSection next, boolean mayWait) {
    MemoryRejection refused = response.reserve(next.items(), mayWait);
    if (refused == null) {
      refused = next.reserveMemory(mayWait);
      if (refused != null) {
        response.releaseReserved(next.items());
      }
    }
    return refused;
  }

  private boolean isReadable(BulkSection next) {
    try {
      next.parse(requestReader);
    } catch (IOException | RuntimeException wrong) {
      abort(BulkAbortedException.withBulkLineNumber(wrong, lines));
      return false;
    }
    BulkRequest bulk = next.bulk();
    Exception invalid = bulk.numberOfActions() == 0 ? null : bulk.validate();
    if (invalid != null) {
      abort(invalid);
    }
    return invalid == null;
  }

  @Override
  public void onComplete() {
    complete = true;
    exchange.run(this::finish);
  }

  @Override
  public void onInvalid(int status, String why) {
    exchange.run(() -> {
      if (abortCause == null) {
        abort(new OpenSearchStatusException(why, RestStatus.fromCode(status)));
      }
    });
  }

  @Override
  public void onDisconnect() {
    clientGone = true;
    exchange.run(() -> {
      dropWaiting();
      finish();
    });
  }

  private void abort(Exception why) {
    abortCause = why;
    dropWaiting();
    finish();
  }

  private void dropWaiting() {
    BulkSection dropped = waitingSection;
    waitingSection = null;
    if (dropped != null) {
      dropped.abandon();
    }
  }

  /** Receives the outcome of each further section. */
  private final class LaterSectionListener implements ActionListener<BulkResponse> {
    private final BulkSection section;
    private final boolean isForwarded;

    LaterSectionListener(BulkSection section, boolean atNode) {
      this.section = section;
      this.isForwarded = atNode;
    }

    @Override
    public void onResponse(BulkResponse response) {
      runUnlessEnded(
          section,
          () -> {
            onSectionAnswered(section, response);
            executeWaiting();
            finish();
          });
    }

    @Override
    public void onFailure(Exception failure) {
      if (!isForwarded && PassThroughClassifier.passThroughReason(failure) != null) {
        runUnlessEnded(section, this::forwardToNode);
      } else {
        onResponse(failed(section.bulk(), failure));
      }
    }

    private void forwardToNode() {
      BulkRequest bulk;
      try {
        bulk = section.reparse(requestReader);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      counts.recordForwarded();
      client.executePart(
          ForwardedBulkAction.INSTANCE,
          bulk,
          section.start(requireContext()),
          new LaterSectionListener(section, true));
    }
  }

  private static BulkResponse failed(BulkRequest bulk, Exception why) {
    List<DocWriteRequest<?>> requests = bulk.requests();
    BulkItemResponse[] items = new BulkItemResponse[requests.size()];
    for (int i = 0; i < items.length; i++) {
      DocWriteRequest<?> request = requests.get(i);
      items[i] =
          new BulkItemResponse(
              i,
              request.opType(),
              new BulkItemResponse.Failure(request.index(), request.id(), why));
    }
    return new BulkResponse(items, 0);
  }

  private void onSectionAnswered(BulkSection section, BulkResponse response) {
    counts.recordSection();
    sectionsInFlight.remove(section);
    try {
      this.response.add(section.sectionNumber(), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    section.addTruncationWarnings(requireContext());
    section.complete();
    requestNextSection();
  }

  /** Goes on with the outcome of a section, unless nobody waits for it any more. */
  private void runUnlessEnded(BulkSection section, Runnable outcome) {
    if (exchange.isClosed()) {
      sectionsInFlight.remove(section);
      section.abandon();
    } else {
      exchange.run(outcome);
    }
  }

  // The end.

  private void finish() {
    if (ended
        || !sectionsInFlight.isEmpty()
        || waitingSection != null
        || !(clientGone || complete || abortCause != null)) {
      return;
    }
    ended = true;
    if (clientGone) {
      exchange.cancel("the client is gone");
      return;
    }
    exchange.takeNodeHeaders();
    long took = TimeUnit.NANOSECONDS.toMillis(counts.nanoTime() - startedNanos);
    Exception why = abortCause;
    try {
      if (why == null) {
        channel.sendResponse(response.completeResponse(channel, took));
      } else {
        counts.recordAbort();
        channel.sendResponse(
            response.abortedResponse(
                channel, new BulkAbortedException(response.itemCount(), why), took));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The exchange is over, whether by its answer or by a defect. */
  private void releaseAll() {
    ended = true;
    List.copyOf(sectionsInFlight).forEach(BulkSection::abandon);
    sectionsInFlight.clear();
    dropWaiting();
    response.release();
  }
}
