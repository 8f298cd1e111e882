package dev.weir.rest;

import java.util.ArrayList;
import java.util.List;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.io.stream.ReleasableBytesStreamOutput;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.BigArrays;

/**
 * The outputs of one part of a streamed response. Their memory is reserved until they are closed
 * together. Used by one thread.
 */
public final class ResponsePartOutputs implements SearchResponseFormat.OutputFactory, Releasable {
  private final BigArrays pages;
  private final List<ReleasableBytesStreamOutput> opened = new ArrayList<>();

  ResponsePartOutputs(BigArrays pages) {
    this.pages = pages;
  }

  @Override
  public BytesStreamOutput open(int expectedBytes) {
    ReleasableBytesStreamOutput output = new ReleasableBytesStreamOutput(expectedBytes, pages);
    opened.add(output);
    return output;
  }

  /** Releases all outputs; further calls do nothing. */
  @Override
  public void close() {
    List<ReleasableBytesStreamOutput> all = List.copyOf(opened);
    opened.clear();
    all.forEach(ReleasableBytesStreamOutput::close);
  }
}
