package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an answer that comes part by part. Owned by one thread, which has it seen or gives it
 * back.
 */
final class ResponseCopy {
  private final AccountedByteCopy body;
  private int status;
  private String contentType = "";
  private String coding = "";
  private AccountedByteCopy.AppendResult appendResult = AccountedByteCopy.AppendResult.COPIED;

  /**
   * Makes it.
   *
   * @param most bytes of its body that are copied
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

  /** Copies a part; false once no more is of use. */
  boolean append(ByteBuffer part) {
    if (appendResult == AccountedByteCopy.AppendResult.COPIED) {
      appendResult = body.append(part);
    }
    return appendResult == AccountedByteCopy.AppendResult.COPIED;
  }

  /** What was copied, which its owner gives back; null where there was no room. */
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
