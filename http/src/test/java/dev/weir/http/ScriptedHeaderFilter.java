package dev.weir.http;

import dev.weir.http.intake.HeaderFilter;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A header filter with scripted decisions that records its calls. */
public final class ScriptedHeaderFilter implements HeaderFilter {
  /** One session; its decisions in order, the last one repeatedly. */
  public final class ScriptedSession implements Session {
    public final String uri;
    public final long announced;
    public final boolean passedThrough;
    final List<Result> script;
    final String tenant;
    public final AtomicInteger asked = new AtomicInteger();
    public final AtomicLong received = new AtomicLong();
    public volatile boolean over;

    private ScriptedSession(
        RequestHead head, RequestRouter.Decision way, List<Result> script, String tenant) {
      this.uri = head.uri();
      this.announced = head.contentLength();
      this.passedThrough = way instanceof RequestRouter.PassThrough;
      this.script = script;
      this.tenant = tenant;
    }

    @Override
    public String tenant() {
      return tenant;
    }

    @Override
    public Result tryAdmit() {
      Result verdict = script.get(Math.min(asked.getAndIncrement(), script.size() - 1));
      asking.add(this);
      return verdict;
    }

    @Override
    public void onBytesReceived(int bytes) {
      received.addAndGet(bytes);
    }

    @Override
    public void onRequestEnd(long answerBytes) {
      if (over) {
        throw new AssertionError("got over twice (expected: once)");
      }
      over = true;
      ended.add(this);
    }
  }

  public final List<ScriptedSession> seen = new CopyOnWriteArrayList<>();
  public final BlockingQueue<ScriptedSession> asking = new LinkedBlockingQueue<>();
  public final BlockingQueue<ScriptedSession> ended = new LinkedBlockingQueue<>();
  private final Function<RequestHead, List<Result>> script;
  private final Function<RequestHead, @Nullable String> tenant;

  private ScriptedHeaderFilter(
      Function<RequestHead, List<Result>> script, Function<RequestHead, @Nullable String> tenant) {
    this.script = script;
    this.tenant = tenant;
  }

  static ScriptedHeaderFilter telling(Function<RequestHead, @Nullable String> tenant) {
    return new ScriptedHeaderFilter(_ -> List.of(Admit.NOW), tenant);
  }

  public static ScriptedHeaderFilter doing(Function<RequestHead, List<Result>> script) {
    return new ScriptedHeaderFilter(script, _ -> null);
  }

  @Override
  public boolean admitsAll(RequestPolicy policy) {
    return false;
  }

  @Override
  public Session startSession(RequestHead head, RequestRouter.Decision way, RequestPolicy policy) {
    String name = tenant.apply(head);
    ScriptedSession visit =
        new ScriptedSession(
            head, way, script.apply(head), name == null ? RequestContext.DEFAULT_TENANT : name);
    seen.add(visit);
    return visit;
  }
}
