package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.intent.IntentLog;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy.FailureMode;
import dev.weir.model.RequestContext;
import dev.weir.model.WritePreparation;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.rest.RestStatus;

/**
 * Records dual writes in the intent log before they leave, and waits for the log no longer than the
 * policy allows. Safe on any thread.
 */
record IntentRecorder(
    IntentLog log, IntentLogPolicy policy, DualWriteCounts counts, DualWriteClocks clocks) {

  /** Lists the documents that a request is about to write, once their ids are assigned. */
  @FunctionalInterface
  interface Documents {
    /**
     * Lists them.
     *
     * @param byNode whether a node carries out the whole request, and generates the missing ids
     */
    List<RepairEntry.Document> toSend(boolean byNode);
  }

  /**
   * Starts the intent of one request, without recording anything.
   *
   * @param from the cluster that executes the writes first
   * @param to the cluster that they are repeated on
   */
  WriteIntent start(String from, String to, Documents documents, RequestContext context) {
    return new WriteIntent(this, from, to, documents, context);
  }

  /** The intent of one request. Confined to its event loop. */
  static final class WriteIntent implements WritePreparation {
    private final IntentRecorder recorder;
    private final String from;
    private final String to;
    private final Documents written;
    private final RequestContext context;
    private boolean byNode;
    private long number;

    private WriteIntent(
        IntentRecorder recorder,
        String from,
        String to,
        Documents written,
        RequestContext context) {
      this.recorder = recorder;
      this.from = from;
      this.to = to;
      this.written = written;
      this.context = context;
    }

    /** A node carries out the whole request, and generates the missing ids. */
    void setByNode() {
      byNode = true;
    }

    @Override
    public void prepare(Runnable send, Consumer<Exception> reject) {
      List<RepairEntry.Document> documents = written.toSend(byNode);
      if (documents.isEmpty()) {
        send.run();
        return;
      }
      byte[] payload = IntentCodec.encode(recorder.clocks.now(), from, to, documents);
      Wait wait = new Wait(send, reject);
      wait.stopTimer =
          recorder
              .clocks
              .delays()
              .scheduleCancellable(
                  recorder.policy.maxWait(),
                  context.eventLoop(),
                  () -> context.run(() -> wait.end(new IOException("no answer in time"))));
      number =
          recorder.log.record(
              payload,
              recorder.policy.sync(),
              failure -> context.runLater(() -> wait.end(failure)));
    }

    /** Clears the intent: both outcomes are known, or nothing was sent. */
    void clear() {
      if (number != 0) {
        recorder.log.clear(number);
        number = 0;
      }
    }

    /** Leaves the intent to the log: the repair log did not take what became of the write. */
    void abandon() {
      if (number != 0) {
        recorder.log.abandon(number);
        number = 0;
      }
    }

    /** A write that waits for the log. */
    private final class Wait {
      private final Runnable send;
      private final Consumer<Exception> reject;
      private Runnable stopTimer = () -> {};
      private boolean ended;

      Wait(Runnable send, Consumer<Exception> reject) {
        this.send = send;
        this.reject = reject;
      }

      void end(@Nullable IOException failure) {
        if (ended) {
          return;
        }
        ended = true;
        stopTimer.run();
        if (failure == null) {
          recorder.counts.intentRecorded(to);
          send.run();
          return;
        }
        FailureMode mode = recorder.policy.onFailure();
        recorder.counts.intentFailed(to, mode);
        switch (mode) {
          case CONTINUE -> send.run();
          case REJECT ->
              reject.accept(
                  new OpenSearchStatusException(
                      "nothing was written, because the gateway's intent log in ["
                          + recorder.log.directory()
                          + "] did not take the write: "
                          + failure.getMessage(),
                      RestStatus.SERVICE_UNAVAILABLE));
        }
      }
    }
  }
}
