//! Shapes and regions by the specification's rules.

use oxcl_driver::image::channel;

use super::*;

fn shape(kind: ImageKind, size: [u64; 3], array_size: u64) -> ImageShape {
    let format = ImageFormat { channel_order: order::RGBA, channel_type: channel::UNORM_INT8 };
    ImageShape { kind, format, size, array_size, row_pitch: 0, slice_pitch: 0, levels: 0 }
}

#[test]
fn pitches_follow_from_sizes_or_hold_them() {
    let volume = Image::new(&shape(ImageKind::Image3d, [5, 3, 2], 9)).unwrap();
    let ImageDescription { row_pitch, slice_pitch, array_size, .. } = *volume.description();
    assert_eq!((row_pitch, slice_pitch, array_size, volume.buffer().size()), (20, 60, 1, 120));
    let wide = ImageShape { row_pitch: 32, slice_pitch: 128, ..shape(ImageKind::Image3d, [5, 3, 2], 1) };
    assert_eq!(Image::new(&wide).unwrap().buffer().size(), 256);
    for (row_pitch, slice_pitch) in [(19, 0), (22, 0), (20, 59), (20, 70)] {
        let wrong = ImageShape { row_pitch, slice_pitch, ..wide };
        assert!(matches!(Image::new(&wrong), Err(ImageError::Pitch { .. })), "{row_pitch} {slice_pitch}");
    }
}

#[test]
fn sizes_are_those_that_devices_have() {
    for wrong in [
        shape(ImageKind::Image2d, [0, 1, 1], 1),
        shape(ImageKind::Image2d, [1, MAX_PLANE + 1, 1], 1),
        shape(ImageKind::Image3d, [1, 1, MAX_VOLUME + 1], 1),
        shape(ImageKind::Image1dArray, [1, 1, 1], 0),
        shape(ImageKind::Image2dArray, [1, 1, 1], MAX_ELEMENTS + 1),
    ] {
        assert!(matches!(Image::new(&wrong), Err(ImageError::Size { .. })), "{wrong:?}");
    }
    let small = Buffer::zeroed(64).unwrap();
    assert!(Image::in_buffer(&small, &shape(ImageKind::Image1dBuffer, [16, 0, 0], 0)).is_ok());
    let error = Image::in_buffer(&small, &shape(ImageKind::Image1dBuffer, [17, 0, 0], 0)).unwrap_err();
    assert_eq!(error, ImageError::BufferTooSmall { needed: 68, bytes: 64 });
}

#[test]
fn regions_lie_in_their_images() {
    let rows = Image::new(&shape(ImageKind::Image1dArray, [4, 0, 0], 3)).unwrap();
    let side = rows.side(&ImageRegion { origin: [1, 2, 0], size: [3, 1, 1], level: 0 }).unwrap();
    assert_eq!((side.at.offset, side.end), (36, 48));
    for (origin, size) in
        [([0, 3, 0], [1, 1, 1]), ([1, 0, 0], [4, 1, 1]), ([0; 3], [1, 1, 2]), ([0; 3], [0, 1, 1])]
    {
        let region = ImageRegion { origin, size, level: 0 };
        assert!(matches!(rows.side(&region), Err(ImageError::Region { .. })), "{region:?}");
    }
    let planes = Image::new(&shape(ImageKind::Image2dArray, [4, 2, 0], 3)).unwrap();
    let side = planes.side(&ImageRegion { origin: [0, 1, 2], size: [4, 1, 1], level: 0 }).unwrap();
    assert_eq!((side.at.offset, side.end), (80, 96));
    assert!(planes.host_side([4, 2, 3], [15, 0]).is_err());
    assert!(planes.host_side([4, 2, 3], [16, 31]).is_err());
    assert_eq!(planes.host_side([4, 2, 3], [20, 0]).unwrap().end, 5 * 20 + 16);
}

#[test]
fn levels_have_their_own_sizes_and_places() {
    let mips = |kind, size, levels| ImageShape { levels, ..shape(kind, size, 2) };
    let planes = Image::new(&mips(ImageKind::Image2dArray, [5, 3, 1], 3)).unwrap();
    assert_eq!(planes.buffer().size(), 4 * 2 * (15 + 2 + 1));
    assert_eq!(planes.whole_level(1).size, [2, 1, 2]);
    let side = planes.side(&ImageRegion { origin: [1, 0, 1], size: [1; 3], level: 1 }).unwrap();
    assert_eq!((side.at.offset, side.at.row_pitch, side.at.slice_pitch, side.end), (132, 8, 8, 136));
    let outside = ImageRegion { origin: [0; 3], size: [2, 1, 1], level: 2 };
    let error = planes.side(&outside).unwrap_err();
    assert_eq!(error, ImageError::Region { region: outside, size: [1, 1, 2] });
    let error = planes.side(&ImageRegion { level: 3, ..outside }).unwrap_err();
    assert_eq!(error, ImageError::Level { level: 3, levels: 3 });
    let alone = Image::new(&shape(ImageKind::Image2d, [5, 3, 1], 1)).unwrap();
    let error = alone.side(&ImageRegion { level: 1, ..outside }).unwrap_err();
    assert_eq!(error, ImageError::Level { level: 1, levels: 1 });

    let wrong = |shape: ImageShape| Image::new(&shape).unwrap_err();
    let plane = mips(ImageKind::Image2d, [4, 4, 1], 2);
    for shape in [
        mips(ImageKind::Image1dBuffer, [4, 1, 1], 2),
        ImageShape { row_pitch: 32, ..plane },
        ImageShape { levels: MAX_LEVELS + 1, ..plane },
    ] {
        assert_eq!(wrong(shape), ImageError::Levels { levels: shape.levels });
    }
    assert!(Image::new(&ImageShape { levels: MAX_LEVELS, ..plane }).is_ok());
}

#[test]
fn columns_are_touched_by_bands_where_there_are_others_beside_them() {
    let touched = |image: &Image, origin, size| {
        let touch = image.touch(&ImageRegion { origin, size, level: 0 }, Access::Read);
        (touch.start, touch.end, touch.bands)
    };
    let plane = Image::new(&shape(ImageKind::Image2d, [64, 8, 1], 1)).unwrap();
    assert_eq!(touched(&plane, [0; 3], [64, 8, 1]), (0, 2048, u16::MAX));
    assert_eq!(touched(&plane, [0; 3], [32, 4, 1]), (0, 896, 0x00ff));
    assert_eq!(touched(&plane, [32, 4, 0], [32, 4, 1]), (1152, 2048, 0xff00));
    // A band of four pixels that is not whole, and a row by itself.
    assert_eq!(touched(&plane, [31, 0, 0], [2, 2, 1]), (124, 388, 0x0180));
    assert_eq!(touched(&plane, [31, 1, 0], [2, 1, 1]), (380, 388, 0x0180));
    let alone = Image::new(&shape(ImageKind::Image2d, [64, 8, 1], 1)).unwrap();
    assert_eq!(touched(&alone, [31, 1, 0], [2, 1, 1]), (380, 388, u16::MAX));
    let volume = Image::new(&shape(ImageKind::Image3d, [16, 3, 2], 1)).unwrap();
    assert_eq!(touched(&volume, [1, 1, 0], [2, 2, 2]), (68, 332, 0x0006));
    // An array of rows, whose rows are its elements.
    let rows = Image::new(&shape(ImageKind::Image1dArray, [16, 1, 1], 3)).unwrap();
    assert_eq!(touched(&rows, [1, 1, 0], [2, 2, 1]), (68, 140, 0x0006));
    // Two images in one memory that do not have the same columns: the first one's are it.
    let memory = Buffer::zeroed(4096).unwrap();
    let [wide, narrow] = [32, 16]
        .map(|width| Image::in_buffer(&memory, &shape(ImageKind::Image2d, [width, 16, 1], 1)).unwrap());
    assert_eq!(touched(&wide, [0; 3], [16, 2, 1]), (0, 192, 0x00ff));
    assert_eq!(touched(&narrow, [0; 3], [8, 2, 1]), (0, 96, u16::MAX));
}
