package dev.weir.core.actions;

import dev.weir.admission.queue.QueueRefusal;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** Says in OpenSearch's way that a request was not let in. */
public final class QueueRefusals {
  private QueueRefusals() {}

  /** A 429 with what was measured. */
  public static Exception of(QueueRefusal refusal) {
    return saying(refusal.message());
  }

  /** A 429 that says this. */
  public static Exception saying(String message) {
    return new OpenSearchRejectedExecutionException(message);
  }
}
