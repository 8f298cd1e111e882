package dev.weir.rest;

import dev.weir.model.NodeRequestRules;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.fixtures.TestExchange;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A REST dispatcher that hands its actions to a {@link RecordingExecutor}; a new one per test. */
@SuppressWarnings("NullAway.Init")
public final class RestDispatcherFixture implements BeforeEachCallback, AfterEachCallback {
  public static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private RecordingExecutor executor;
  private RestThreadContext threadContext;
  private RestDispatcher dispatcher;

  @Override
  public void beforeEach(ExtensionContext test) {
    executor = new RecordingExecutor();
    threadContext = new RestThreadContext(REGISTRIES.settings());
    dispatcher = new RestDispatcher(REGISTRIES, threadContext, executor);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    threadContext.close();
  }

  RestDispatcher dispatcher() {
    return dispatcher;
  }

  RestThreadContext threadContext() {
    return threadContext;
  }

  RecordingExecutor executor() {
    return executor;
  }

  /** The rules of nodes with such a heap, which allow what a node allows by default. */
  static NodeRequestRules nodesWithHeap(long bytes) {
    NodeRequestRules.Limits limits = NodeRequestRules.Limits.DEFAULT;
    return new NodeRequestRules(
        true,
        true,
        true,
        false,
        false,
        new NodeRequestRules.Limits(
            limits.maxContentBytes(),
            limits.maxHeaderBytes(),
            limits.maxRequestLineBytes(),
            limits.maxWarnings(),
            limits.maxWarningBytes(),
            bytes));
  }

  /** Lets a request in and returns it. */
  TestExchange send(TestExchange exchange) {
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  /** Drops earlier calls, so that the next one is the only one. */
  RestDispatcherFixture again() {
    executor.forget();
    return this;
  }
}
