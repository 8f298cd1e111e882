package dev.weir.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;

/** Headers that count the removals by name, each of which looks at many of them. */
public final class CountingHeaders extends DefaultHttpHeaders {
  private int removals;

  /** Returns how often a name was removed. */
  public int removals() {
    return removals;
  }

  @Override
  public HttpHeaders remove(String name) {
    removals++;
    return super.remove(name);
  }

  @Override
  public HttpHeaders remove(CharSequence name) {
    removals++;
    return super.remove(name);
  }
}
