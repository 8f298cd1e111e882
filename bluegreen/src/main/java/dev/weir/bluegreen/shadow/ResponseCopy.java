package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a response that arrives in parts. Owned by one thread, which passes it on or releases
 * it.
 */
final class ResponseCopy {
  private final AccountedByteCopy body;
  private int status;
  private String contentType = "";
  private String coding = "";
  private AccountedByteCopy.AppendResult appendResult = AccountedByteCopy.AppendResult.COPIED;

  /**
   * Creates an empty copy.
   *
   * @param most bytes of the body that are copied
   */
  ResponseCopy(MemoryPool ledger, int most) {
    this.body = new AccountedByteCopy(ledger, most);
  }

  int status() {
    return status;
  }

  void setHeaders(int code, String type, String contentCoding) {
    status = code;
    contentType = type;
    coding = contentCoding;
  }

  /** Copies a part; returns false if further parts are not needed. */
  boolean append(ByteBuffer part) {
    if (appendResult == AccountedByteCopy.AppendResult.COPIED) {
      appendResult = body.append(part);
    }
    return appendResult == AccountedByteCopy.AppendResult.COPIED;
  }

  /** The copy, which the caller releases; null if memory was short. */
  @Nullable CapturedResponse toCapturedResponse(long nanos) {
    return switch (appendResult) {
      case COPIED -> new CapturedResponse(status, contentType, coding, body.takeBytes(), nanos);
      case TOO_LONG -> new CapturedResponse(status, contentType, coding, null, nanos);
      case OUT_OF_MEMORY -> null;
    };
  }

  void release() {
    body.release();
  }
}
