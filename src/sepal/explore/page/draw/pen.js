// @ts-check
// One set of strokes, two hands: a canvas for the screen and PNG, and SVG text.

/** @typedef {{stroke?: string, fill?: string, width?: number, dash?: number[], alpha?: number}} Ink */
/** @typedef {{color?: string, size?: number, bold?: boolean, align?: "start" | "middle" | "end", turn?: boolean, halo?: string}} Letters */
/**
 * @typedef {object} Pen
 * @property {(points: ArrayLike<number>, ink: Ink, closed?: boolean) => void} path x0, y0, x1, y1, ...; NaN lifts the pen
 * @property {(x: number, y: number, w: number, h: number, ink: Ink) => void} rect
 * @property {(x: number, y: number, r: number, ink: Ink) => void} circle
 * @property {(x: number, y: number, text: string, letters?: Letters) => void} text y is the middle of the letters
 * @property {(source: HTMLCanvasElement, x: number, y: number, w: number, h: number, sharp: boolean) => void} image
 * @property {(x: number, y: number, w: number, h: number, draw: () => void) => void} clip
 */

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/**
 * @param {CanvasRenderingContext2D} ctx in CSS pixels
 * @returns {Pen}
 */
export function canvasPen(ctx) {
  /** @param {Ink} ink */
  const finish = (ink) => {
    ctx.globalAlpha = ink.alpha ?? 1;
    if (ink.fill) {
      ctx.fillStyle = ink.fill;
      ctx.fill();
    }
    if (ink.stroke) {
      ctx.strokeStyle = ink.stroke;
      ctx.lineWidth = ink.width ?? 1;
      ctx.setLineDash(ink.dash ?? []);
      ctx.lineJoin = "round";
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  };
  return {
    path(points, ink, closed = false) {
      ctx.beginPath();
      let down = false;
      for (let i = 0; i + 1 < points.length; i += 2) {
        const x = points[i];
        const y = points[i + 1];
        if (Number.isNaN(x) || Number.isNaN(y)) down = false;
        else if (down) ctx.lineTo(x, y);
        else {
          ctx.moveTo(x, y);
          down = true;
        }
      }
      if (closed) ctx.closePath();
      finish(ink);
    },
    rect(x, y, w, h, ink) {
      ctx.beginPath();
      ctx.rect(x, y, w, h);
      finish(ink);
    },
    circle(x, y, r, ink) {
      ctx.beginPath();
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      finish(ink);
    },
    text(x, y, text, letters = {}) {
      ctx.save();
      ctx.font = `${letters.bold ? "600 " : ""}${letters.size ?? 12}px ${FONT}`;
      ctx.textAlign = letters.align === "middle" ? "center" : (letters.align ?? "start");
      ctx.textBaseline = "middle";
      ctx.translate(x, y);
      if (letters.turn) ctx.rotate(-Math.PI / 2);
      if (letters.halo) {
        ctx.strokeStyle = letters.halo;
        ctx.lineWidth = 3;
        ctx.lineJoin = "round";
        ctx.strokeText(text, 0, 0);
      }
      ctx.fillStyle = letters.color ?? "#000";
      ctx.fillText(text, 0, 0);
      ctx.restore();
    },
    image(source, x, y, w, h, sharp) {
      ctx.imageSmoothingEnabled = !sharp;
      ctx.drawImage(source, x, y, w, h);
    },
    clip(x, y, w, h, draw) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(x, y, w, h);
      ctx.clip();
      draw();
      ctx.restore();
    },
  };
}

/** @param {string} text */
const safe = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/**
 * A pen that writes SVG; `done()` gives the document.
 * @param {number} width
 * @param {number} height
 * @param {string} title
 * @returns {Pen & {done: () => string}}
 */
export function svgPen(width, height, title) {
  /** @type {string[]} */
  const parts = [];
  let clips = 0;
  /** @param {Ink} ink */
  const style = (ink) =>
    ` fill="${ink.fill ?? "none"}"` +
    (ink.stroke ? ` stroke="${ink.stroke}" stroke-width="${ink.width ?? 1}" stroke-linejoin="round"` : "") +
    (ink.dash ? ` stroke-dasharray="${ink.dash.join(" ")}"` : "") +
    (ink.alpha !== undefined && ink.alpha < 1 ? ` opacity="${ink.alpha}"` : "");
  return {
    path(points, ink, closed = false) {
      let d = "";
      let down = false;
      for (let i = 0; i + 1 < points.length; i += 2) {
        if (Number.isNaN(points[i]) || Number.isNaN(points[i + 1])) {
          down = false;
          continue;
        }
        d += `${down ? "L" : "M"}${short(points[i])} ${short(points[i + 1])}`;
        down = true;
      }
      parts.push(`<path d="${d}${closed ? "Z" : ""}"${style(ink)}/>`);
    },
    rect(x, y, w, h, ink) {
      parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"${style(ink)}/>`);
    },
    circle(x, y, r, ink) {
      parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(r)}"${style(ink)}/>`);
    },
    text(x, y, text, letters = {}) {
      const turn = letters.turn ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : "";
      const halo = letters.halo ? ` stroke="${letters.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
      parts.push(
        `<text x="${short(x)}" y="${short(y)}" dy=".35em" font-size="${letters.size ?? 12}"${letters.bold ? ' font-weight="600"' : ""}` +
          ` text-anchor="${letters.align ?? "start"}" fill="${letters.color ?? "#000"}"${halo}${turn}>${safe(text)}</text>`,
      );
    },
    image(source, x, y, w, h, sharp) {
      parts.push(
        `<image x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" preserveAspectRatio="none"` +
          `${sharp ? ' image-rendering="pixelated"' : ""} href="${source.toDataURL("image/png")}"/>`,
      );
    },
    clip(x, y, w, h, draw) {
      const id = `c${clips++}`;
      parts.push(`<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"/></clipPath><g clip-path="url(#${id})">`);
      draw();
      parts.push("</g>");
    },
    done: () =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${safe(FONT)}">` +
      `<title>${safe(title)}</title>${parts.join("\n")}</svg>\n`,
  };
}
