package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;

/** A write whose plans the test sets, with its result. */
public final class ScriptedWrite implements WriteWork {
  public final List<String> log = new ArrayList<>();
  private final BiFunction<ClusterView, ViewFreshness, WriteStep> plan;
  public @Nullable Exception failure;

  /** Runs when the client gets its response. */
  public Runnable onOver = () -> {};

  public ScriptedWrite(BiFunction<ClusterView, ViewFreshness, WriteStep> plan) {
    this.plan = plan;
  }

  @Override
  public Duration waitTimeout() {
    return Duration.ofSeconds(60);
  }

  @Override
  public WriteStep plan(ClusterView view, ViewFreshness certainty) {
    log.add("plan " + view.state().version() + " " + certainty);
    return plan.apply(view, certainty);
  }

  @Override
  public void onFinished() {
    log.add("finished");
    onOver.run();
  }

  @Override
  public void onDeadlineExpired() {
    log.add("expired");
    onOver.run();
  }

  @Override
  public void onFailure(Exception why) {
    log.add("failed");
    onOver.run();
    failure = why;
  }

  /** One shard's part of the write. */
  public final class Part implements WriteOperation<String> {
    public final String name;
    public Function<ClusterView, WriteTarget> target = view -> new WriteTarget.Node("n1");
    public FailureClass verdict = FailureClass.FINAL;
    public boolean repeatable = true;
    public long bytes;
    public long limitSaid;
    @Nullable Exception refusedInAnswer;
    @Nullable Exception failure;

    public Part(String name) {
      this.name = name;
    }

    @Override
    public Duration waitTimeout() {
      return Duration.ofSeconds(60);
    }

    @Override
    public WriteTarget target(ClusterView view) {
      return target.apply(view);
    }

    @Override
    public NodeCall<String> call() {
      return new NodeCall<>(name, out -> {}, in -> "", ChannelKind.BULK, Map.of(), Duration.ZERO);
    }

    @Override
    public NodeSender.@Nullable LoadFeedback<String> loadFeedback() {
      return null;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public FailureClass classify(Exception answer) {
      return verdict;
    }

    @Override
    public long reportedByteLimit(Exception refusal) {
      return limitSaid;
    }

    @Override
    public boolean prepareRetry(Exception why) {
      log.add(name + " repeat");
      return repeatable;
    }

    @Override
    public @Nullable Exception onReply(String reply, ReplyFrame frame) {
      log.add(name + " " + reply);
      Exception why = refusedInAnswer;
      refusedInAnswer = null;
      return why;
    }

    @Override
    public void onFailure(Exception why) {
      log.add(name + " failed");
      failure = why;
    }

    @Override
    public void onUncertain(UncertaintyReason reason, Exception why) {
      log.add(name + " " + reason);
      failure = why;
    }

    @Override
    public void onDeadlineExpired(boolean maybeDone) {
      log.add(name + (maybeDone ? " maybe done" : " not done"));
    }

    @Override
    public void onReplan(Exception why, boolean maybeDone) {
      log.add(name + (maybeDone ? " given back, maybe done" : " given back"));
    }
  }

  public Part part(String name) {
    return new Part(name);
  }

  public static WriteStep send(Part... parts) {
    return new WriteStep.Send(Arrays.asList(parts));
  }

  public static Exception error(String message) {
    return new OpenSearchException(message);
  }
}
