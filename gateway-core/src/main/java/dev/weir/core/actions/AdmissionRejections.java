package dev.weir.core.actions;

import dev.weir.admission.queue.QueueRejection;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** Says in OpenSearch's way that a request was not let in. */
public final class AdmissionRejections {
  private AdmissionRejections() {}

  /** A 429 with what was measured. */
  public static Exception forRejection(QueueRejection refusal) {
    return withMessage(refusal.message());
  }

  /** A 429 that says this. */
  public static Exception withMessage(String message) {
    return new OpenSearchRejectedExecutionException(message);
  }
}
