//! Tests with servos that are set correctly, wrongly, or mounted wrongly.

use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::Posture;

use super::*;

/// Nine servos with encoders. A position is the encoder's value plus the homing offset.
struct Bench {
    encoders: Joints<i32>,
    settings: Joints<EepromSettings>,
    torque: bool,
    /// A servo that acknowledges writes and ignores them.
    forgetful: Option<Joint>,
}

fn neutral() -> Joints {
    joints_from_posture(&Posture::init()).unwrap()
}

impl Bench {
    /// Creates servos with the official settings, in the neutral pose.
    fn new() -> Self {
        let blank = EepromSettings {
            model: 1200,
            firmware: 51,
            return_delay_us: 0,
            drive_mode: 0,
            operating_mode: 3,
            homing_offset_steps: 0,
            min_position_steps: 0,
            max_position_steps: 4095,
            temperature_limit_celsius: 70,
            min_voltage_decivolts: 35,
            max_voltage_decivolts: 70,
            pwm_limit: 885,
            current_limit_milliamps: 1750,
            velocity_limit: 445,
            moving_threshold: 10,
            startup_configuration: 0,
            pwm_slope: 140,
            shutdown_mask: 52,
            gains: Gains { p: 400, i: 0, d: 0 },
        };
        let settings = Joints::from_fn(|joint| official(joint, blank));
        let expected = neutral();
        let encoders =
            Joints::from_fn(|joint| position_at(expected[joint]) - settings[joint].homing_offset_steps);
        Bench { encoders, settings, torque: false, forgetful: None }
    }
}

impl Servos for Bench {
    fn read(&mut self) -> Result<Joints<ServoSnapshot>, RobotError> {
        Ok(Joints::from_fn(|joint| ServoSnapshot {
            settings: self.settings[joint],
            position_steps: self.encoders[joint] + self.settings[joint].homing_offset_steps,
            torque: self.torque,
        }))
    }

    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotError> {
        if self.torque {
            return Err(RobotError::Rejected { joint, what: "a setting" });
        }
        if self.forgetful == Some(joint) {
            return Ok(());
        }
        self.settings[joint] = self.settings[joint].with(setting);
        Ok(())
    }
}

#[test]
fn differences_name_deviations_from_the_official_values() {
    let mut bench = Bench::new();
    assert_eq!(differences(&bench.read().unwrap(), official), []);
    bench.write(Joint::Stewart4, Setting::MaxPositionSteps(4095)).unwrap();
    bench.write(Joint::LeftAntenna, Setting::Gains(Gains { p: 400, i: 0, d: 0 })).unwrap();
    let reported: Vec<String> =
        differences(&bench.read().unwrap(), official).iter().map(ToString::to_string).collect();
    assert_eq!(reported[0], "stewart_4: maximum position 4095 steps, should be maximum position 2594 steps");
    assert!(
        reported[1].starts_with("left_antenna: gains P 400 I 0 D 0, should be gains P 200")
            && reported.len() == 2
    );
}

#[test]
fn settings_have_the_names_of_their_fields_except_the_identity() {
    let settings = Bench::new().settings[Joint::Stewart2];
    let fields = serde_json::to_value(settings).unwrap();
    for setting in settings.all() {
        let named = serde_json::to_value(setting).unwrap();
        assert_eq!(fields[named["what"].as_str().unwrap()], named["value"], "{setting}");
    }
    let names = fields.as_object().unwrap();
    assert_eq!(names.len(), settings.all().len() + ["model", "firmware"].len());
}

/// Calibrates a joint whose encoder is turned by this many steps.
fn calibrated(joint: Joint, turned: i32) -> Result<(i32, i32), Refusal> {
    let mut bench = Bench::new();
    bench.encoders[joint] += turned;
    let changes = homing(&bench.read().unwrap(), &neutral(), &Joint::ALL)?;
    let servos = carry_out(&mut bench, &changes)?;
    Ok((servos[joint].settings.homing_offset_steps, off_by(&servos[joint], neutral()[joint])))
}

#[test]
fn homing_corrects_a_joint_that_is_off() {
    assert_eq!(calibrated(Joint::BodyYaw, 40).unwrap(), (-40, 0));
    assert_eq!(calibrated(Joint::Stewart1, 100).unwrap(), (924, 0));
    assert_eq!(calibrated(Joint::Stewart2, -100).unwrap(), (-924, 0));
    // A person's hand is no more precise.
    assert_eq!(calibrated(Joint::BodyYaw, 2).unwrap(), (0, -2));
    // Whole turns, counted without torque.
    assert_eq!(calibrated(Joint::LeftAntenna, 3 * 4096 - 30).unwrap(), (30, 0));
    // Beyond the servo's range: as near as possible, if that is near enough.
    assert_eq!(calibrated(Joint::Stewart1, -10).unwrap(), (1024, 10));
    let complaint = calibrated(Joint::Stewart1, -40).unwrap_err().to_string();
    assert!(complaint.contains("1064") && complaint.contains("-1024 to 1024"), "{complaint}");
    let complaint = calibrated(Joint::RightAntenna, 1000).unwrap_err().to_string();
    assert!(complaint.contains("right_antenna reads -87.9 deg"), "{complaint}");
}

#[test]
fn homing_sets_the_offset_of_a_new_motor() {
    let mut bench = Bench::new();
    bench.encoders[Joint::Stewart6] -= 30;
    bench.settings[Joint::Stewart6].homing_offset_steps = 0;
    let changes = homing(&bench.read().unwrap(), &neutral(), &[Joint::Stewart6]).unwrap();
    assert_eq!(changes[0].should, Setting::HomingOffsetSteps(-994));
    let complaint = homing(&bench.read().unwrap(), &Joints::default(), &[Joint::Stewart1]);
    assert!(matches!(complaint, Err(Refusal::TooFar { joint: Joint::Stewart1, .. })));
}

#[test]
fn carry_out_refuses_under_torque_and_reports_lost_writes() {
    let mut bench = Bench::new();
    bench.torque = true;
    let servos = bench.read().unwrap();
    let driven = |refusal| matches!(refusal, Err(Refusal::Driven { joint: Joint::BodyYaw }));
    assert!(driven(homing(&servos, &neutral(), &Joint::ALL)));
    assert!(driven(restoring(&servos, &Backup::of(&servos, 0))));

    let mut bench = Bench::new();
    bench.forgetful = Some(Joint::BodyYaw);
    bench.encoders[Joint::BodyYaw] += 50;
    let changes = homing(&bench.read().unwrap(), &neutral(), &Joint::ALL).unwrap();
    let complaint = carry_out(&mut bench, &changes).unwrap_err().to_string();
    assert!(complaint.starts_with("body_rotation did not keep homing offset -50"), "{complaint}");
}

#[test]
fn restoring_recovers_all_settings() {
    let mut bench = Bench::new();
    let before = bench.read().unwrap();
    let text = Backup::of(&before, 1_700_000_000).to_yaml().unwrap();
    assert!(
        text.contains("stewart_2:\n    model: 1200\n    firmware: 51\n    return_delay_us: 0\n"),
        "{text}"
    );
    let changed = EepromSettings {
        operating_mode: 5,
        shutdown_mask: 0,
        pwm_limit: 500,
        ..before[Joint::Stewart2].settings
    };
    for setting in changed.all() {
        bench.write(Joint::Stewart3, setting).unwrap();
    }
    let backup = Backup::from_yaml(&text).unwrap();
    let changes = restoring(&bench.read().unwrap(), &backup).unwrap();
    assert_eq!(changes.len(), 6, "{changes:?}");
    assert_eq!(carry_out(&mut bench, &changes).unwrap(), before);
    assert_eq!(restoring(&bench.read().unwrap(), &backup).unwrap(), []);
}

#[test]
fn restoring_refuses_foreign_and_damaged_backups() {
    let mut bench = Bench::new();
    let servos = bench.read().unwrap();
    let text = Backup::of(&servos, 0).to_yaml().unwrap();
    let complaint = |from: &str, to: &str| {
        let backup = Backup::from_yaml(&text.replacen(from, to, 1)).map_err(|error| error.to_string())?;
        restoring(&servos, &backup).map_err(|refusal| refusal.to_string())
    };
    let check = |from: &str, to: &str, words: &str| {
        let complaint = complaint(from, to).unwrap_err();
        assert!(complaint.contains(words), "{complaint}");
    };
    check("model: 1200", "model: 1190", "another motor: body_rotation");
    check("operating_mode: 3", "operating_mode: 9", "body_rotation has operating mode 9");
    check("max_position_steps: 4095", "max_position_steps: 40950", "40950");
    check("  stewart_1:", "  stewart_1000:", "not a backup");
    check("homing_offset_steps", "homing_ofset", "homing_ofset");
    check("return_delay_us: 0", "return_delay_us: 3", "return delay 3");
    check("return_delay_us: 0", "return_delay_us: 1e9", "not a backup");
    let (nine, _) = text.split_once("  left_antenna:").unwrap();
    assert!(matches!(Backup::from_yaml(nine), Err(BackupError::Incomplete { joint: Joint::LeftAntenna })));
    for text in ["", "\u{0}", "[[[[", "a: &a [*a]", "servos: 3"] {
        assert!(matches!(Backup::from_yaml(text), Err(BackupError::Damaged(_))), "{text}");
    }
}
