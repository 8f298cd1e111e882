package dev.weir.observe.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A collector that keeps what it takes, takes nothing, or takes its time. */
final class FakeSpanExporter implements SpanExporter {
  private final List<SpanData> taken = new ArrayList<>();
  final CountDownLatch begun = new CountDownLatch(1);
  final CountDownLatch mayAnswer;
  @Nullable RuntimeException thrown;
  boolean refuses;

  FakeSpanExporter() {
    this(new CountDownLatch(0));
  }

  FakeSpanExporter(CountDownLatch mayAnswer) {
    this.mayAnswer = mayAnswer;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    begun.countDown();
    try {
      mayAnswer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thrown != null) {
      throw thrown;
    }
    if (refuses) {
      return CompletableResultCode.ofFailure();
    }
    synchronized (taken) {
      taken.addAll(spans);
    }
    return CompletableResultCode.ofSuccess();
  }

  List<SpanData> taken() {
    synchronized (taken) {
      return List.copyOf(taken);
    }
  }

  SpanData named(String name) {
    return taken().stream().filter(span -> span.getName().equals(name)).findFirst().orElseThrow();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
