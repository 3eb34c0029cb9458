//! Images: reads with and without samplers, of the image itself and of levels of its mipmap, writes, and what is asked of them.

use rspirv::dr::Operand;
use rspirv::spirv::{AccessQualifier, Dim, ImageOperands, Op};

use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::mangle::Param;
use crate::types::{Image, Shape};
use crate::words::Instruction;

/// What OpenCL's numbers of channel types and orders begin with.
const FIRST_TYPE: u32 = 0x10D0;
const FIRST_ORDER: u32 = 0x10B0;

/// The coordinates of a pixel as OpenCL C has them.
fn coordinates(image: Image) -> u32 {
    match (image.dim, image.arrayed) {
        (Dim::Dim1D | Dim::DimBuffer, false) => 1,
        (Dim::Dim1D | Dim::DimBuffer, true) => 2,
        (Dim::Dim2D, false) => 2,
        _ => 4,
    }
}

/// The steps of a coordinate, by which a level of detail is found, as OpenCL C has them: not between an array's elements.
fn steps(image: Image) -> u32 {
    match image.dim {
        Dim::Dim2D => 2,
        Dim::Dim3D => 4,
        _ => 1,
    }
}

/// Which level of a mipmap an instruction names.
enum Level {
    /// By its number, or by a level of detail.
    At(u32),
    /// By the steps of the coordinate.
    Steps([u32; 2]),
}

/// How wide the numbers of a size are.
fn sizes(image: Image) -> u32 {
    match (image.dim, image.arrayed) {
        (Dim::Dim1D | Dim::DimBuffer, false) => 1,
        (Dim::Dim1D | Dim::DimBuffer, true) | (Dim::Dim2D, false) => 2,
        _ => 3,
    }
}

impl Function<'_, '_> {
    /// Instructions on images; false where it is another one.
    pub(crate) fn image(&mut self, i: &Instruction) -> Result<bool> {
        match i.op {
            Op::SampledImage => {
                let pair = (i.id_at(0)?, i.id_at(1)?);
                self.image_at(i, pair.0)?;
                let sampler = self.used(i, pair.1)?;
                if !matches!(self.shape(i, sampler.ty)?, Shape::Sampler) {
                    return Err(invalid(i.word, "a sampler was expected"));
                }
                self.sampled.insert(i.result()?, pair);
            }
            Op::Image => {
                let (image, _) = self.sampled_at(i, i.id_at(0)?)?;
                let used = self.used(i, image)?;
                self.same_type(i, &used)?;
                self.aliases.insert(i.result()?, used);
            }
            Op::ImageSampleExplicitLod => {
                let (image, sampler) = self.sampled_at(i, i.id_at(0)?)?;
                self.read(i, image, Some(sampler))?;
            }
            Op::ImageRead => self.read(i, i.id_at(0)?, None)?,
            Op::ImageWrite => self.write_image(i)?,
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.size(i)?,
            Op::ImageQueryLevels => {
                let (_, image) = self.image_at(i, i.id_at(0)?)?;
                let bits = self.t.types.int_bits(i.word, i.result_type()?)?;
                let count = self.asked(i, "get_image_num_mip_levels", &image, 32, bits)?;
                self.alias(i, &count)?;
            }
            Op::ImageQueryFormat => self.query(i, "get_image_channel_data_type", FIRST_TYPE)?,
            Op::ImageQueryOrder => self.query(i, "get_image_channel_order", FIRST_ORDER)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn sampled_at(&self, i: &Instruction, id: u32) -> Result<(u32, u32)> {
        let pair = self.sampled.get(&id).copied();
        pair.ok_or_else(|| invalid(i.word, format!("id {id} is no sampled image of this function")))
    }

    fn image_at(&mut self, i: &Instruction, id: u32) -> Result<(Image, Used)> {
        let used = self.used(i, id)?;
        match self.shape(i, used.ty)? {
            Shape::Image(image) => Ok((image, used)),
            _ => Err(invalid(i.word, "an image was expected")),
        }
    }

    /// Coordinates, or their steps, in as many lanes as the library takes.
    fn coordinate(&mut self, i: &Instruction, wanted: u32, id: u32) -> Result<(Param, (String, String))> {
        let given = self.used(i, id)?;
        let (element, lanes) = self.scalar(i, given.ty)?;
        let param = match self.t.types.scalar(i.word, given.ty)?.0.shape {
            Shape::Int(32) => Param::INT,
            Shape::Float(32) => Param::Float(32),
            _ => return Err(not_supported(i.word, "coordinates of this type")),
        };
        let param = param.lanes(wanted);
        if lanes == wanted {
            return Ok((param, given.argument()));
        }
        let whole = |lane: u32| if lane < lanes { format!("i32 {lane}") } else { "i32 poison".to_owned() };
        if wanted == 1 {
            let one = self.temporary(i, &format!("extractelement {}, i32 0", given.typed()));
            return Ok((param, (element.to_string(), one)));
        }
        if lanes + 1 < wanted || lanes == 1 {
            return Err(invalid(i.word, "fewer coordinates than the image has dimensions"));
        }
        let mask: Vec<String> = (0..wanted).map(whole).collect();
        let text = format!(
            "shufflevector {}, {} poison, <{wanted} x i32> <{}>",
            given.typed(),
            given.type_text,
            mask.join(", ")
        );
        let value = self.temporary(i, &text);
        Ok((param, (format!("<{wanted} x {element}>"), value)))
    }

    /// The suffix of functions on pixels of a type, and whether the type is of whole pixels.
    fn pixel(&self, i: &Instruction, ty: u32, unsigned: bool) -> Result<(&'static str, Param)> {
        Ok(match self.t.types.scalar(i.word, ty)?.0.shape {
            Shape::Float(32) => ("f", Param::Float(32)),
            Shape::Float(16) => ("h", Param::Float(16)),
            Shape::Int(32) if unsigned => ("ui", Param::UINT),
            Shape::Int(32) => ("i", Param::INT),
            _ => return Err(not_supported(i.word, "pixels of this type")),
        })
    }

    /// Whether pixels are said to have no sign, and the level where it is not the first; refuses operands that ask for more than the
    /// library does.
    fn operands(&self, i: &Instruction, at: usize) -> Result<(bool, Option<Level>)> {
        let Some(Operand::ImageOperands(operands)) = i.operands.get(at) else { return Ok((false, None)) };
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        if !known.contains(*operands) {
            return Err(not_supported(i.word, format!("image operands {operands:?}")));
        }
        let level = match (operands.contains(ImageOperands::LOD), operands.contains(ImageOperands::GRAD)) {
            (true, true) => return Err(invalid(i.word, "a level of detail, and steps to find it by")),
            (true, false) if self.constant_at(i, at + 1)? == Some(0) => None,
            (true, false) => Some(Level::At(i.id_at(at + 1)?)),
            (false, true) => Some(Level::Steps([i.id_at(at + 1)?, i.id_at(at + 2)?])),
            (false, false) => None,
        };
        Ok((operands.contains(ImageOperands::ZERO_EXTEND), level))
    }

    /// A level as arguments of the library's function: a number of the type that it takes, or two steps.
    fn level(
        &mut self,
        i: &Instruction,
        image: Image,
        level: &Level,
        number: &Param,
    ) -> Result<Vec<(Param, (String, String))>> {
        let all = match level {
            Level::At(id) => vec![self.coordinate(i, 1, *id)?],
            Level::Steps([x, y]) => {
                vec![self.coordinate(i, steps(image), *x)?, self.coordinate(i, steps(image), *y)?]
            }
        };
        let wanted = match level {
            Level::At(_) => number.clone(),
            Level::Steps(_) => Param::Float(32).lanes(steps(image)),
        };
        match all.iter().all(|(param, _)| param.llvm() == wanted.llvm()) {
            true => Ok(all),
            false => Err(not_supported(i.word, "levels by numbers of this type")),
        }
    }

    fn read(&mut self, i: &Instruction, image: u32, sampler: Option<u32>) -> Result<()> {
        let (unsigned, level) = self.operands(i, 2)?;
        let (kind, used) = self.image_at(i, image)?;
        if kind.access == AccessQualifier::WriteOnly {
            return Err(invalid(i.word, "a read of an image that is only written"));
        }
        let (mut params, mut arguments) =
            (vec![self.t.types.param(i.word, used.ty, true)?], vec![used.argument()]);
        if let Some(sampler) = sampler {
            let sampler = self.used(i, sampler)?;
            params.push(self.t.types.param(i.word, sampler.ty, true)?);
            arguments.push(sampler.argument());
        }
        let (param, argument) = self.coordinate(i, coordinates(kind), i.id_at(1)?)?;
        if let Some(level) = level {
            // OpenCL C has levels where it has samplers and coordinates that are no whole numbers.
            if sampler.is_none() || param.llvm() != Param::Float(32).lanes(coordinates(kind)).llvm() {
                return Err(not_supported(i.word, "a level of detail other than 0 with whole coordinates"));
            }
            params.push(param);
            arguments.push(argument);
            let level = self.level(i, kind, &level, &Param::Float(32))?;
            let (types, values): (Vec<_>, Vec<_>) = level.into_iter().unzip();
            params.extend(types);
            arguments.extend(values);
        } else {
            params.push(param);
            arguments.push(argument);
        }
        let ty = i.result_type()?;
        let (suffix, pixel) = self.pixel(i, ty, unsigned)?;
        let name = format!("read_image{suffix}");
        let lanes = self.scalar(i, ty)?.1;
        if !kind.depth {
            if lanes != 4 {
                return Err(invalid(i.word, "a pixel has four channels"));
            }
            let result = pixel.lanes(4).llvm();
            let call = self.library(i, &name, &params, &result, &arguments)?;
            return self.define(i, &call);
        }
        // The library gives a depth as one number.
        let element = pixel.llvm();
        let call = self.library(i, &name, &params, &element, &arguments)?;
        if lanes == 1 {
            return self.define(i, &call);
        }
        let depth = self.temporary(i, &call);
        self.define(
            i,
            &format!("insertelement <{lanes} x {element}> zeroinitializer, {element} {depth}, i32 0"),
        )
    }

    fn write_image(&mut self, i: &Instruction) -> Result<()> {
        let (unsigned, level) = self.operands(i, 3)?;
        let (kind, used) = self.image_at(i, i.id_at(0)?)?;
        if kind.access == AccessQualifier::ReadOnly {
            return Err(invalid(i.word, "a write to an image that is only read"));
        }
        let at = self.coordinate(i, coordinates(kind), i.id_at(1)?)?;
        let texel = self.operand(i, 2)?;
        let (suffix, pixel) = self.pixel(i, texel.ty, unsigned)?;
        let lanes = self.scalar(i, texel.ty)?.1;
        let (pixel, texel) = match (kind.depth, lanes) {
            (false, 4) => (pixel.lanes(4), texel.argument()),
            (true, 1) => (pixel, texel.argument()),
            (true, 4) => {
                let one = self.temporary(i, &format!("extractelement {}, i32 0", texel.typed()));
                (pixel.clone(), (pixel.llvm(), one))
            }
            _ => return Err(invalid(i.word, "a pixel has four channels, a depth one")),
        };
        let mut all = vec![(self.t.types.param(i.word, used.ty, true)?, used.argument()), at];
        match &level {
            Some(Level::Steps(_)) => return Err(invalid(i.word, "steps for a pixel that is written")),
            Some(level) => all.extend(self.level(i, kind, level, &Param::INT)?),
            None => {}
        }
        all.push((pixel, texel));
        let (params, arguments): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let name = format!("write_image{suffix}");
        let call = self.library(i, &name, &params, "void", &arguments)?;
        self.line(i, &call);
        Ok(())
    }

    /// A number that the library gives of an image, in so many bits.
    fn asked(&mut self, i: &Instruction, name: &str, image: &Used, own: u32, bits: u32) -> Result<String> {
        let param = self.t.types.param(i.word, image.ty, true)?;
        let call = self.library(i, name, &[param], &format!("i{own}"), &[image.argument()])?;
        let value = self.temporary(i, &call);
        Ok(match own.cmp(&bits) {
            std::cmp::Ordering::Less => self.temporary(i, &format!("zext i{own} {value} to i{bits}")),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.temporary(i, &format!("trunc i{own} {value} to i{bits}")),
        })
    }

    fn size(&mut self, i: &Instruction) -> Result<()> {
        let first = i.op == Op::ImageQuerySize || self.constant_at(i, 1)? == Some(0);
        let (kind, image) = self.image_at(i, i.id_at(0)?)?;
        let bits = self.t.types.int_bits(i.word, i.result_type()?)?;
        let (element, lanes) = self.scalar(i, i.result_type()?)?;
        if lanes != sizes(kind) {
            return Err(invalid(i.word, "another number of sizes than the image has dimensions"));
        }
        let mut all = vec![self.asked(i, "get_image_width", &image, 32, bits)?];
        if matches!(kind.dim, Dim::Dim2D | Dim::Dim3D) {
            all.push(self.asked(i, "get_image_height", &image, 32, bits)?);
        }
        if kind.dim == Dim::Dim3D {
            all.push(self.asked(i, "get_image_depth", &image, 32, bits)?);
        }
        if !first {
            let level = self.operand(i, 1)?;
            let own = self.t.types.int_bits(i.word, level.ty)?;
            if own != 32 {
                return Err(not_supported(i.word, "levels by numbers of this type"));
            }
            let level = match bits {
                32 => level.text,
                8 | 16 => self.temporary(i, &format!("trunc i32 {} to i{bits}", level.text)),
                _ => self.temporary(i, &format!("zext i32 {} to i{bits}", level.text)),
            };
            for size in &mut all {
                let smaller = self.temporary(i, &format!("lshr i{bits} {size}, {level}"));
                let is_some = self.temporary(i, &format!("icmp ne i{bits} {smaller}, 0"));
                *size = self.temporary(i, &format!("select i1 {is_some}, i{bits} {smaller}, i{bits} 1"));
            }
        }
        if kind.arrayed {
            let size = self.t.bits();
            all.push(self.asked(i, "get_image_array_size", &image, size, bits)?);
        }
        if let [one] = all.as_slice() {
            return self.alias(i, one);
        }
        let mut vector = "undef".to_owned();
        for (lane, one) in all.iter().enumerate() {
            let text = format!("insertelement <{lanes} x {element}> {vector}, {element} {one}, i32 {lane}");
            vector = self.temporary(i, &text);
        }
        self.alias(i, &vector)
    }

    fn query(&mut self, i: &Instruction, name: &str, first: u32) -> Result<()> {
        let (_, image) = self.image_at(i, i.id_at(0)?)?;
        let value = self.asked(i, name, &image, 32, 32)?;
        if &*self.result_text(i)? != "i32" {
            return Err(not_supported(i.word, "a format of other than 32 bits"));
        }
        self.define(i, &format!("sub i32 {value}, {first}"))
    }
}
