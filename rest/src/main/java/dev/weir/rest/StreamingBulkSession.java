package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.SectionedBody;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.rest.bulk.BulkLineNumbers;
import dev.weir.rest.bulk.BulkRequestReader;
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
 * One streaming bulk: it executes the body section by section while the body arrives, each section
 * as a bulk of its own.
 *
 * <p>The first section runs alone, and nothing more is read until it has ended, so that its result
 * can still decide about the whole bulk: a pass-through to a node or a rejection. Later sections
 * run concurrently within the body's window, with two exceptions. If two sections may write the
 * same document, the second waits for the first. A section without memory waits for the sections
 * before it, and then for other requests, for up to {@link #MAX_MEMORY_WAIT}. If a section fails as
 * a whole, each of its items reports the failure.
 *
 * <p>A parse error or a missing response aborts the bulk: no later item is sent, and the response
 * contains the number of executed items and their results. Confined to the exchange's event loop.
 */
final class StreamingBulkSession implements SectionedBody.Listener {
  /** The maximum time that a section waits for memory of other requests. */
  static final Duration MAX_MEMORY_WAIT = Duration.ofSeconds(30);

  /** The interval between attempts to reserve memory. */
  static final Duration MEMORY_RETRY_INTERVAL = Duration.ofMillis(50);

  private static final long MAX_MEMORY_RETRIES = MAX_MEMORY_WAIT.dividedBy(MEMORY_RETRY_INTERVAL);

  /**
   * The maximum number of concurrent sections, however short: nodes see each as a bulk of its own.
   */
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

  /** Executes the first section, which is already parsed. */
  void start(SectionedBody from, BulkSection first) {
    body = from;
    RequestContext whole = client.startBulk(exchange);
    context = whole;
    whole.onCancel(() ->
        List.copyOf(sectionsInFlight)
            .forEach(section -> section.cancel(String.valueOf(whole.cancelReason()))));
    exchange.onEnd(this::releaseAll);
    Exception invalid = first.bulk().validate();
    MemoryRejection rejection = invalid == null ? response.reserve(first.items(), false) : null;
    if (rejection != null) {
      exchange.memory().recordRejection(rejection);
      invalid = RequestFrameBudget.exception(rejection);
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

  // The result of the first section.

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
            section.copyResponseMetadataTo(requireContext());
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

  /** Fails the whole bulk before any item was executed. */
  private void reject(Exception why) {
    ended = true;
    exchange.takeNodeHeaders();
    try {
      channel.sendResponse(new BytesRestResponse(channel, why));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Later sections.

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

  /** Executes the waiting section if nothing prevents it. */
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

  /** Requests the next section unless the maximum number is running. */
  private void requestNextSection() {
    if (awaitingSection && sectionsInFlight.size() < MAX_SECTIONS_IN_FLIGHT) {
      awaitingSection = false;
      Objects.requireNonNull(body).requestNext();
    }
  }

  /** Reserves memory for the section's items and responses; returns true on success. */
  private boolean hasMemory(BulkSection next) {
    MemoryRejection rejection = next.isMemoryReserved() ? null : reserveMemory(next, true);
    if (rejection == null) {
      memoryRetries = 0;
      return true;
    }
    if (!sectionsInFlight.isEmpty()) {
      return false; // the end of a running section tries again
    }
    boolean late = requireContext().deadline().hasPassed(counts.nanoTime());
    if (!rejection.permanent() && !late && memoryRetries < MAX_MEMORY_RETRIES) {
      memoryRetries++;
      Objects.requireNonNull(body).schedule(MEMORY_RETRY_INTERVAL, this::retryMemory);
      return false;
    }
    rejection = reserveMemory(next, false);
    if (rejection != null) {
      abort(
          new OpenSearchStatusException(rejection.message(), RestStatus.REQUEST_ENTITY_TOO_LARGE));
    }
    return rejection == null;
  }

  private void retryMemory() {
    if (!exchange.isClosed()) {
      exchange.run(this::executeWaiting);
    }
  }

  /** Reserves memory for both or for neither, so that a waiting bulk holds none. */
  private @Nullable MemoryRejection reserveMemory(BulkSection next, boolean mayWait) {
    MemoryRejection rejection = response.reserve(next.items(), mayWait);
    if (rejection == null) {
      rejection = next.reserveMemory(mayWait);
      if (rejection != null) {
        response.releaseReserved(next.items());
      }
    }
    return rejection;
  }

  private boolean isReadable(BulkSection next) {
    try {
      next.parse(requestReader);
    } catch (RuntimeException wrong) {
      abort(BulkLineNumbers.ofWhole(wrong, lines));
      return false;
    } catch (IOException wrong) {
      abort(wrong);
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
      this.response.add(section.sectionNumber(), section.items(), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    section.copyResponseMetadataTo(requireContext());
    section.complete();
    requestNextSection();
  }

  /** Processes the result of a section unless the bulk has ended. */
  private void runUnlessEnded(BulkSection section, Runnable outcome) {
    if (exchange.isClosed()) {
      sectionsInFlight.remove(section);
      section.abandon();
    } else {
      exchange.run(outcome);
    }
  }

  // End.

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

  /** Releases everything when the exchange ends, by its response or by a defect. */
  private void releaseAll() {
    ended = true;
    List.copyOf(sectionsInFlight).forEach(BulkSection::abandon);
    sectionsInFlight.clear();
    dropWaiting();
    response.release();
  }
}
