/**
 * Has nodes with the plugin run the ingest pipelines of a bulk's items and hand the items back, so
 * that the gateway writes them as it writes any bulk. Running pipelines writes nothing: until the
 * items are back, another node may be asked, or the whole bulk may pass through. Confined to the
 * request's event loop, but for what is said to be safe on any thread.
 */
@NullMarked
package dev.weir.core.actions.ingest;

import org.jspecify.annotations.NullMarked;
