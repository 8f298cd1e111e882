/**
 * Records requests as OpenTelemetry traces: the sampling, the spans and their export. The only
 * package that depends on OpenTelemetry. Spans are created on the request's event loop; a thread of
 * OpenTelemetry exports them.
 */
@NullMarked
package dev.weir.observe.trace;

import org.jspecify.annotations.NullMarked;
