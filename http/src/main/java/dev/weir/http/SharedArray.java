package dev.weir.http;

/**
 * An array that several have at once: each section that lies in it, and who fills it. It is given
 * back when all have let go. Confined to its event loop.
 */
final class SharedArray {
  private final PaidArray array;
  private int holders = 1;
  private boolean read;

  /**
   * Makes one that its maker holds.
   *
   * @param array owned
   */
  SharedArray(PaidArray array) {
    this.array = array;
  }

  PaidArray array() {
    return array;
  }

  /** One more holds it. */
  SharedArray hold() {
    holders++;
    return this;
  }

  /** One that held it does not read it any more. */
  void letGo() {
    if (--holders > 0) {
      return;
    }
    if (read) {
      array.abandon();
    } else {
      array.free();
    }
  }

  /** One that held it lets go, and somebody may still read it. */
  void abandon() {
    read = true;
    letGo();
  }
}
