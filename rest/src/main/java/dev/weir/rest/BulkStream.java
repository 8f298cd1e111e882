package dev.weir.rest;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestContext;
import dev.weir.model.SectionedBody;
import dev.weir.protocol.RequestFrames;
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
 * those before it, and beyond that for other requests, {@link #PATIENCE} long. A section that fails
 * as a whole is answered item by item.
 *
 * <p>What can't be read, or answered, ends it: no later item is sent, and the client is told how
 * many were carried out, with their answers. Confined to the exchange's home.
 */
final class BulkStream implements SectionedBody.Reader {
  /** For how long a section waits for memory that other requests hold. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** After so long it asks again. */
  static final Duration PAUSE = Duration.ofMillis(50);

  private static final long MOST_PAUSES = PATIENCE.dividedBy(PAUSE);

  /** Under way at once, however short they are: each is a bulk of its own to the nodes. */
  private static final int MOST_SECTIONS = 8;

  private final RestExchange exchange;
  private final RestChannel channel;
  private final GatewayNodeClient client;
  private final BulkReading reading;
  private final StreamedBulks counts;
  private final StreamedAnswer answer;
  private final List<StreamedSection> underWay = new ArrayList<>(4);
  private final long startedNanos;
  private @Nullable SectionedBody body;
  private @Nullable RequestContext context;
  private @Nullable StreamedSection waiting;
  private @Nullable Exception cut;
  private int sections;
  private int pauses;
  private boolean wantsNext;
  private long lines;
  private boolean complete;
  private boolean gone;
  private boolean over;

  BulkStream(
      RestExchange exchange,
      RestChannel channel,
      GatewayNodeClient client,
      BulkReading reading,
      StreamedBulks counts) {
    this.exchange = exchange;
    this.channel = channel;
    this.client = client;
    this.reading = reading;
    this.counts = counts;
    this.answer = new StreamedAnswer(exchange.http().memory(), channel.request());
    this.startedNanos = counts.now();
  }

  /** Carries the first section out, which was read. */
  void begin(SectionedBody from, StreamedSection first) {
    body = from;
    RequestContext whole = client.beginBulk(exchange);
    context = whole;
    whole.onCancel(() ->
        List.copyOf(underWay)
            .forEach(section -> section.cancel(String.valueOf(whole.cancelReason()))));
    exchange.onOver(this::letGo);
    Exception invalid = first.bulk().validate();
    MemoryRefusal refused = invalid == null ? answer.prepare(first.items(), false) : null;
    if (refused != null) {
      exchange.memory().refused(refused);
      invalid = RequestFrames.exception(refused);
    }
    if (invalid != null) {
      refuse(invalid);
      return;
    }
    sections = 1;
    lines = first.lines();
    carryOut(first, new First(first));
  }

  private void carryOut(StreamedSection section, ActionListener<BulkResponse> outcome) {
    underWay.add(section);
    client.carryOut(BulkAction.INSTANCE, section.bulk(), section.begin(requireContext()), outcome);
  }

  private RequestContext requireContext() {
    return Objects.requireNonNull(context, "got no context (expected: begun)");
  }

  // What the first section comes to.

  /** Hears the outcome of the first section. */
  private final class First implements ActionListener<BulkResponse> {
    private final StreamedSection section;

    First(StreamedSection section) {
      this.section = section;
    }

    @Override
    public void onResponse(BulkResponse response) {
      hand(
          section,
          () -> {
            counts.begun();
            answered(section, response);
            SectionedBody from = Objects.requireNonNull(body);
            from.start(BulkStream.this);
            from.next();
          });
    }

    @Override
    public void onFailure(Exception failure) {
      hand(
          section,
          () -> {
            underWay.remove(section);
            section.tell(requireContext());
            section.abandon();
            String reason = NodesBusiness.reason(failure);
            if (reason == null) {
              refuse(failure);
            } else {
              over = true;
              exchange.passThrough(reason);
            }
          });
    }
  }

  /** Nothing was carried out: the whole bulk failed. */
  private void refuse(Exception why) {
    over = true;
    exchange.takeNodeHeaders();
    try {
      channel.sendResponse(new BytesRestResponse(channel, why));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // What comes after it.

  @Override
  public void section(SectionedBody.Section section) {
    StreamedSection come = new StreamedSection(exchange.memory(), section, sections++);
    if (exchange.isClosed()) {
      come.abandon();
      return;
    }
    exchange.run(() -> {
      waiting = come;
      goOn();
    });
  }

  /** Carries out what waits, if it may go. */
  private void goOn() {
    StreamedSection next = waiting;
    if (next == null || cut != null || gone || !hasRoom(next) || !isReadable(next)) {
      return;
    }
    for (StreamedSection before : underWay) {
      if (before.concernsTheSameAs(next)) {
        return;
      }
    }
    waiting = null;
    lines += next.lines();
    if (next.bulk().numberOfActions() == 0) {
      next.done();
    } else {
      carryOut(next, new Later(next, false));
    }
    wantsNext = true;
    askNext();
  }

  /** Lets the next section come, unless as many are under way as may. */
  private void askNext() {
    if (wantsNext && underWay.size() < MOST_SECTIONS) {
      wantsNext = false;
      Objects.requireNonNull(body).next();
    }
  }

  /** Whether its items and their answers are paid for. */
  private boolean hasRoom(StreamedSection next) {
    MemoryRefusal refused = next.isPaid() ? null : pay(next, true);
    if (refused == null) {
      pauses = 0;
      return true;
    }
    if (!underWay.isEmpty()) {
      return false; // goes on when one of these has been carried out
    }
    boolean late = requireContext().deadline().passed(counts.now());
    if (!refused.lasting() && !late && pauses < MOST_PAUSES) {
      pauses++;
      Objects.requireNonNull(body).later(PAUSE, this::askAgain);
      return false;
    }
    refused = pay(next, false);
    if (refused != null) {
      cutShort(
          new OpenSearchStatusException(refused.message(), RestStatus.REQUEST_ENTITY_TOO_LARGE));
    }
    return refused == null;
  }

  private void askAgain() {
    if (!exchange.isClosed()) {
      exchange.run(this::goOn);
    }
  }

  /** Takes memory for both or for neither, so that who waits for some does not hold some. */
  private @Nullable MemoryRefusal pay(StreamedSection next, boolean mayWait) {
    MemoryRefusal refused = answer.prepare(next.items(), mayWait);
    if (refused == null) {
      refused = next.pay(mayWait);
      if (refused != null) {
        answer.putOff(next.items());
      }
    }
    return refused;
  }

  private boolean isReadable(StreamedSection next) {
    try {
      next.read(reading);
    } catch (IOException | RuntimeException wrong) {
      cutShort(BulkCutShortException.inBulk(wrong, lines));
      return false;
    }
    BulkRequest bulk = next.bulk();
    Exception invalid = bulk.numberOfActions() == 0 ? null : bulk.validate();
    if (invalid != null) {
      cutShort(invalid);
    }
    return invalid == null;
  }

  @Override
  public void complete() {
    complete = true;
    exchange.run(this::finish);
  }

  @Override
  public void unfit(int status, String why) {
    exchange.run(() -> {
      if (cut == null) {
        cutShort(new OpenSearchStatusException(why, RestStatus.fromCode(status)));
      }
    });
  }

  @Override
  public void gone() {
    gone = true;
    exchange.run(() -> {
      dropWaiting();
      finish();
    });
  }

  private void cutShort(Exception why) {
    cut = why;
    dropWaiting();
    finish();
  }

  private void dropWaiting() {
    StreamedSection dropped = waiting;
    waiting = null;
    if (dropped != null) {
      dropped.abandon();
    }
  }

  /** Hears the outcome of a section that is not the first. */
  private final class Later implements ActionListener<BulkResponse> {
    private final StreamedSection section;
    private final boolean atNode;

    Later(StreamedSection section, boolean atNode) {
      this.section = section;
      this.atNode = atNode;
    }

    @Override
    public void onResponse(BulkResponse response) {
      hand(
          section,
          () -> {
            answered(section, response);
            goOn();
            finish();
          });
    }

    @Override
    public void onFailure(Exception failure) {
      if (!atNode && NodesBusiness.reason(failure) != null) {
        hand(section, this::leaveToNode);
      } else {
        onResponse(failed(section.bulk(), failure));
      }
    }

    private void leaveToNode() {
      BulkRequest bulk;
      try {
        bulk = section.anew(reading);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      counts.left();
      client.carryOut(
          NodeBulkAction.INSTANCE, bulk, section.begin(requireContext()), new Later(section, true));
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

  private void answered(StreamedSection section, BulkResponse response) {
    counts.section();
    underWay.remove(section);
    try {
      answer.add(section.number(), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    section.tell(requireContext());
    section.done();
    askNext();
  }

  /** Goes on with the outcome of a section, unless nobody waits for it any more. */
  private void hand(StreamedSection section, Runnable outcome) {
    if (exchange.isClosed()) {
      underWay.remove(section);
      section.abandon();
    } else {
      exchange.run(outcome);
    }
  }

  // The end.

  private void finish() {
    if (over || !underWay.isEmpty() || waiting != null || !(gone || complete || cut != null)) {
      return;
    }
    over = true;
    if (gone) {
      exchange.cancel("the client is gone");
      return;
    }
    exchange.takeNodeHeaders();
    long took = TimeUnit.NANOSECONDS.toMillis(counts.now() - startedNanos);
    Exception why = cut;
    try {
      if (why == null) {
        channel.sendResponse(answer.whole(channel, took));
      } else {
        counts.shortened();
        channel.sendResponse(
            answer.cutShort(channel, new BulkCutShortException(answer.items(), why), took));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The exchange is over, whether by its answer or by a defect. */
  private void letGo() {
    over = true;
    List.copyOf(underWay).forEach(StreamedSection::abandon);
    underWay.clear();
    dropWaiting();
    answer.letGo();
  }
}
