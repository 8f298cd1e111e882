package dev.weir.config.load;

import dev.weir.config.policy.BulkPolicy;

/** Checks the keys of the section {@code bulk} that depend on each other. */
final class BulkPolicyValidator {
  private BulkPolicyValidator() {}

  static void validate(BulkPolicy bulk, SectionBinder binder) {
    BulkPolicy.Retry retry = bulk.retry();
    if (retry.maxBackoff().compareTo(retry.initialBackoff()) < 0) {
      binder.report(
          "bulk.retry.max-backoff",
          "got "
              + retry.maxBackoff().toMillis()
              + "ms (expected: at least initial-backoff, "
              + retry.initialBackoff().toMillis()
              + "ms)");
    }
  }
}
