package dev.weir.rest;

import dev.weir.model.AnswerWish;
import dev.weir.model.Deadline;
import dev.weir.model.Deadlines;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Item;
import dev.weir.model.RequestNotes;
import dev.weir.model.SampleWish;
import dev.weir.model.StreamedReply;
import dev.weir.model.Trace;
import dev.weir.protocol.RequestFrames;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.tasks.TaskResourceTrackingService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One request on its way through OpenSearch's REST layer: keeps its thread context between the
 * tasks that make it up, and sees to it that it is answered or passed on once and ended once.
 * Confined to the exchange's home, except where a method says otherwise.
 */
final class RestExchange {
  private static final Logger LOG = LoggerFactory.getLogger(RestExchange.class);
  private static final String CURRENT = "weir.exchange";

  private final HttpExchange exchange;
  private final ThreadContext threadContext;
  private final Thread homeThread = Thread.currentThread();
  private final ExchangeHttpChannel channel = new ExchangeHttpChannel(this);
  private final List<Runnable> onOver = new ArrayList<>(2);
  private final Deadlines deadlines;
  private final WriteMemory memory;
  private final long number;
  private StoredContext stored;
  private Deadline asked = Deadline.NONE;
  private @Nullable AnswerWish wish;
  private @Nullable SampleWish sample;
  private boolean begun;
  private boolean numberTaken;
  private @Nullable RequestContext context;
  private @Nullable ExchangeRestChannel restChannel;
  private @Nullable String ownForm;
  private @Nullable Consumer<Throwable> onDefect;
  private boolean answered;
  private boolean gone;
  private boolean failing;
  private boolean over;

  /**
   * Takes an exchange over; called on its home.
   *
   * @param number the gateway's own for it
   */
  RestExchange(
      HttpExchange exchange, RestThreadContext contexts, Deadlines deadlines, long number) {
    this.number = number;
    this.deadlines = deadlines;
    this.exchange = exchange;
    this.memory = new WriteMemory(exchange.memory());
    this.threadContext = contexts.threadContext();
    this.stored = contexts.empty();
    exchange.numbered(number);
    exchange.onDisconnect(() -> run(this::left));
  }

  /** The exchange that the code running now works for. */
  static RestExchange current(ThreadContext threadContext) {
    RestExchange current = threadContext.getTransient(CURRENT);
    return Objects.requireNonNull(current, "got no exchange (expected: a task of a request)");
  }

  /**
   * Pays for what is made of the request, until it is over.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException when there is no room for
   *     it
   */
  void pay(long bytes) {
    MemoryRefusal refused = memory().take(Item.PARSED, bytes);
    if (refused != null) {
      throw RequestFrames.exception(refused);
    }
    onOver(() -> memory().giveBack(Item.PARSED, bytes));
  }

  /** Whether a client that is told 429 for want of memory may come again. */
  boolean mayComeAgain() {
    return memory.mayComeAgain();
  }

  /** What the request holds of the gateway's memory. */
  WriteMemory memory() {
    return memory;
  }

  /** The number of its next task: the first one's is its own. */
  long taskId(LongSupplier more) {
    if (numberTaken) {
      return more.getAsLong();
    }
    numberTaken = true;
    return number;
  }

  /**
   * Reads until when the client waits.
   *
   * @throws IllegalArgumentException when what it says can't be read
   */
  void readDeadline() {
    asked = deadlines.asked(exchange);
  }

  /** Says what the client wants of the answer. */
  void wishes(AnswerWish said) {
    wish = said;
  }

  /** Says from which part of its shards the client wants its search answered. */
  void samples(SampleWish said) {
    sample = said;
  }

  HttpExchange http() {
    return exchange;
  }

  ThreadContext threadContext() {
    return threadContext;
  }

  ExchangeHttpChannel channel() {
    return channel;
  }

  SocketAddress remoteAddress() {
    return exchange.remoteAddress();
  }

  /** Says where failures are written to. */
  void channelIs(ExchangeRestChannel newChannel) {
    restChannel = newChannel;
  }

  /**
   * Runs a part of the request in the request's thread context, which is new and empty at the first
   * time; a failure becomes the request's answer.
   */
  void run(Runnable task) {
    RestExchange around = threadContext.getTransient(CURRENT);
    if (around == this) {
      task.run();
      return;
    }
    logsAs(around, this);
    StoredContext before = threadContext.newStoredContext(false);
    stored.restore();
    if (!begun) {
      begun = true;
      threadContext.putTransient(CURRENT, this);
    }
    try {
      task.run();
    } catch (Throwable failure) {
      fail(failure);
    } finally {
      stored = threadContext.newStoredContext(false);
      before.restore();
      logsAs(this, around);
    }
  }

  /** What is logged from now on on this thread tells another trace. */
  private static void logsAs(@Nullable RestExchange before, @Nullable RestExchange now) {
    if (now != null && now.exchange.trace().recorded()) {
      MDC.put(Trace.LOGGED, now.exchange.trace().traceId());
    } else if (before != null && before.exchange.trace().recorded()) {
      MDC.remove(Trace.LOGGED);
    }
  }

  private void fail(Throwable failure) {
    LOG.error("request {} {} failed by a defect", exchange.method(), exchange.uri(), failure);
    exchange.keepBody();
    stopWork();
    Consumer<Throwable> breaking = onDefect;
    if (breaking != null) {
      onDefect = null;
      breaking.accept(failure);
    }
    if (restChannel == null) {
      passThrough(PassThroughReasons.DEFECT);
    } else if (!isClosed()) {
      try {
        restChannel.sendFailure(failure);
      } catch (Throwable again) {
        LOG.error("can't write the failure of {} {}", exchange.method(), exchange.uri(), again);
        respond(lastResort());
      }
    }
  }

  /** Stops what was begun, whose outcomes are not the answer any more. */
  private void stopWork() {
    if (context == null) {
      return;
    }
    failing = true;
    try {
      context.cancel("failed by a defect");
    } catch (Throwable e) {
      LOG.error("can't stop {} {}", exchange.method(), exchange.uri(), e);
    } finally {
      failing = false;
    }
  }

  /** An answer that takes nothing to write. */
  private HttpReply lastResort() {
    String cause = "\"type\":\"exception\",\"reason\":\"the gateway can't write the failure\"";
    String body = "{\"error\":{\"root_cause\":[{" + cause + "}]," + cause + "},\"status\":500}";
    return new HttpReply(
        500,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))),
        this::released);
  }

  /**
   * What accompanies the request through the house; made at the first action, with the headers that
   * the thread context has then.
   *
   * @param write whether the action changes documents
   */
  RequestContext context(long taskId, boolean write) {
    if (context == null) {
      context =
          new RequestContext(
              exchange.home(), this::run, taskId, threadContext.getHeaders(), exchange.tenant());
      context.goesBy(exchange.policy());
      if (exchange.inner()) {
        context.becomeInner();
      }
      context.limit(asked.exists() ? asked : deadlines.standard(exchange, write));
      context.paidBy(memory);
      context.tracedBy(exchange.trace());
      context.wishes(wish);
      context.samples(sample);
      if (write) {
        memory.write();
      }
      context.asks(exchange.method(), exchange.uri());
      if (wantsExplanation(exchange)) {
        context.explain();
      }
      if (over) {
        context.end();
      }
    }
    return context;
  }

  /**
   * A context of one of many actions of the request. Unless the client says until when it waits for
   * all of them, each has the time that a request has.
   *
   * @param nowNanos from when that is counted
   */
  RequestContext part(long taskId, long nowNanos) {
    RequestContext part =
        new RequestContext(
            exchange.home(), this::run, taskId, threadContext.getHeaders(), exchange.tenant());
    part.goesBy(exchange.policy());
    part.limit(
        asked.exists() ? asked : deadlines.standard(new ArrivedNow(exchange, nowNanos), false));
    part.paidBy(memory);
    part.tracedBy(exchange.trace().part());
    part.asks(exchange.method(), exchange.uri());
    return part;
  }

  /** A context of an action that may outlive the request: it has of it its headers and policy. */
  RequestContext aside(long taskId) {
    RequestContext aside =
        new RequestContext(
            exchange.home(),
            Runnable::run,
            taskId,
            context == null ? Map.of() : context.transportHeaders(),
            exchange.tenant());
    aside.goesBy(exchange.policy());
    return aside;
  }

  /** An exchange as if it had come at another time. */
  private static final class ArrivedNow extends ForwardingExchange {
    private final long nanos;

    ArrivedNow(HttpExchange exchange, long nanos) {
      super(exchange);
      this.nanos = nanos;
    }

    @Override
    public long arrivedNanos() {
      return nanos;
    }
  }

  private static boolean wantsExplanation(HttpExchange exchange) {
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(RequestContext.EXPLAIN)) {
        return header.getValue().equalsIgnoreCase("true");
      }
    }
    return false;
  }

  /**
   * Adds what nodes sent as response headers to the thread context, whence they get into the
   * answer; a value that is there already counts once.
   */
  void takeNodeHeaders() {
    if (context == null) {
      return;
    }
    RequestNotes notes = context.notes();
    if (notes != null && context.explained()) {
      threadContext.addResponseHeader(RequestContext.EXPLAIN, notes.told());
    }
    context
        .responseHeaders()
        .forEach((name, values) -> {
          if (!name.equals(TaskResourceTrackingService.TASK_RESOURCE_USAGE)
              && !ExchangeHttpRequest.isNodesOwn(name)) {
            values.forEach(value -> threadContext.addResponseHeader(name, value));
          }
        });
  }

  /** Registers what to do when nothing more is sent for this request; runs once. */
  void onOver(Runnable action) {
    if (over) {
      action.run();
    } else {
      onOver.add(action);
    }
  }

  /** Whether an answer would go nowhere. */
  boolean isClosed() {
    return answered || over || failing;
  }

  /** Answers; {@code reply} says by its {@code onReleased} when it is over, on any thread. */
  void respond(HttpReply reply) {
    answered = true;
    if (gone && context != null) {
      context.unheard();
    }
    if (context != null && context.keepsBody()) {
      exchange.keepBody();
    }
    if (context != null && context.lostNodes()) {
      exchange.lostNodes();
    }
    exchange.respond(reply);
  }

  /** Answers with a stream; {@code reply} says by its {@code onReleased} when it is over. */
  void respond(StreamedReply reply) {
    answered = true;
    exchange.respond(reply);
  }

  /** Registers who breaks an answer off that was begun, where a part of the request fails. */
  void whenFailing(Consumer<Throwable> action) {
    onDefect = action;
  }

  /** No node can give the answer that is asked for, which is of this form. */
  void answerHereAlone(String form) {
    ownForm = form;
    wish = null; // it leaves out what it does not show
  }

  /** An output for a part of the answer, paid for like all of it. */
  BytesStreamOutput output(int expectedBytes) {
    ExchangeRestChannel channels =
        Objects.requireNonNull(restChannel, "got no channel (expected: an answer under way)");
    return channels.part(expectedBytes);
  }

  /** Hands the request to a node instead of an answer; ignored when it has one. */
  void passThrough(String reason) {
    ExchangeRestChannel answers = restChannel;
    String form = ownForm;
    if (form != null && answers != null) {
      if (!isClosed()) {
        run(() -> answers.sendFailure(PassThroughReasons.noNodeAnswers(form, reason)));
      }
      return;
    }
    if (!isClosed()) {
      exchange.passThrough(reason);
      end();
    }
  }

  /** Stops the request: nobody waits for its answer any more. */
  void cancel(String reason) {
    if (!isClosed()) {
      if (context != null) {
        context.cancel(reason);
      }
      end();
      exchange.drop();
    }
  }

  /** The client has gone, perhaps in the middle of its answer. */
  private void left() {
    gone = true;
    channel.close();
    if (answered && context != null) {
      context.unheard();
    }
  }

  /** Ends the request, whose last byte has left. Called on any thread. */
  void released() {
    if (Thread.currentThread().equals(homeThread)) {
      end();
    } else {
      exchange.home().execute(this::end);
    }
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    if (context != null) {
      context.end();
    }
    List<Runnable> actions = List.copyOf(onOver);
    onOver.clear();
    actions.forEach(Runnable::run);
    channel.close();
  }
}
