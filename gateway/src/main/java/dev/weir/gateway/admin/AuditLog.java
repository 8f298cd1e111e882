package dev.weir.gateway.admin;

import dev.weir.model.HttpStatus;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each change that an operator asks for to the logger {@code weir.audit}: who,
 * from where, what, and the result. Attempts that are not permitted (401, 403) have a rate bound; a
 * permitted change always leaves a line, also a failed one. Safe on any thread.
 */
final class AuditLog {
  static final String NAME = "weir.audit";

  private static final Logger LOGGER = LoggerFactory.getLogger(NAME);
  private static final int MAX_REJECTIONS_PER_MINUTE = 60;
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private final LongSupplier nanoClock;
  private long minuteStartNanos;
  private int rejections;
  private long omitted;

  AuditLog(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.minuteStartNanos = nanoClock.getAsLong();
  }

  /**
   * Records an attempt.
   *
   * @param user who asked, or {@code unauthenticated}
   * @param status of the response
   */
  void record(AdminRequest request, String user, int status) {
    boolean rejected = status == HttpStatus.UNAUTHORIZED || status == HttpStatus.FORBIDDEN;
    if (rejected && !mayReportRejection()) {
      return;
    }
    String who = encode(user);
    String uri = encode(request.uri());
    LOGGER
        .atInfo()
        .addKeyValue("user", who)
        .addKeyValue("remote", request.peer().address())
        .addKeyValue("method", request.method())
        .addKeyValue("uri", uri)
        .addKeyValue("status", status)
        .log(
            "{} {} by {} from {}: {}",
            request.method(),
            uri,
            who,
            request.peer().address(),
            status);
  }

  private synchronized boolean mayReportRejection() {
    long now = nanoClock.getAsLong();
    if (now - minuteStartNanos >= MINUTE_NANOS) {
      if (omitted > 0) {
        LOGGER.info("left out {} rejected attempts", omitted);
      }
      minuteStartNanos = now;
      rejections = 0;
      omitted = 0;
    }
    if (rejections < MAX_REJECTIONS_PER_MINUTE) {
      rejections++;
      return true;
    }
    omitted++;
    return false;
  }

  /** Encodes control characters, so that each attempt takes one line. */
  static String encode(String text) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)) {
        encoded.append(String.format("\\u%04x", (int) c));
      } else {
        encoded.append(c);
      }
    }
    return encoded.toString();
  }
}
