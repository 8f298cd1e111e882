package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryLedger;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an answer that comes part by part. Owned by one thread, which has it seen or gives it
 * back.
 */
final class AnswerCopy {
  private final CopiedBytes body;
  private int status;
  private String contentType = "";
  private String coding = "";
  private CopiedBytes.Fit fit = CopiedBytes.Fit.COPIED;

  /**
   * Makes it.
   *
   * @param most bytes of its body that are copied
   */
  AnswerCopy(MemoryLedger ledger, int most) {
    this.body = new CopiedBytes(ledger, most);
  }

  int status() {
    return status;
  }

  void head(int code, String type, String contentCoding) {
    status = code;
    contentType = type;
    coding = contentCoding;
  }

  /** Copies a part; false once no more is of use. */
  boolean content(ByteBuffer part) {
    if (fit == CopiedBytes.Fit.COPIED) {
      fit = body.add(part);
    }
    return fit == CopiedBytes.Fit.COPIED;
  }

  /** What was copied, which its owner gives back; null where there was no room. */
  @Nullable SeenAnswer seen(long nanos) {
    return switch (fit) {
      case COPIED -> new SeenAnswer(status, contentType, coding, body.take(), nanos);
      case TOO_LONG -> new SeenAnswer(status, contentType, coding, null, nanos);
      case NO_ROOM -> null;
    };
  }

  void giveBack() {
    body.giveBack();
  }
}
