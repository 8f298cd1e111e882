package org.opensearch.rest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.NullMarked;
import org.opensearch.common.SetOnce;
import org.opensearch.core.xcontent.MediaType;

/** Sets what a REST request usually parses itself. */
@NullMarked
public final class RestRequestInternals {
  private static final VarHandle MEDIA_TYPE = mediaType();

  private RestRequestInternals() {}

  private static VarHandle mediaType() {
    try {
      return MethodHandles.privateLookupIn(RestRequest.class, MethodHandles.lookup())
          .findVarHandle(RestRequest.class, "mediaType", SetOnce.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Sets the content type of a request that was created without one. */
  @SuppressWarnings("unchecked") // the type of the field
  public static void setMediaType(RestRequest request, MediaType type) {
    ((SetOnce<MediaType>) MEDIA_TYPE.get(request)).set(type);
  }
}
