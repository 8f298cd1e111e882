package dev.weir.core.actions;

import dev.weir.admission.queue.QueueRejection;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** Builds the errors of requests that were not admitted. */
public final class AdmissionRejections {
  private AdmissionRejections() {}

  /** A 429 with the measured values. */
  public static Exception forRejection(QueueRejection refusal) {
    return withMessage(refusal.message());
  }

  /** A 429 with this message. */
  public static Exception withMessage(String message) {
    return new OpenSearchRejectedExecutionException(message);
  }
}
